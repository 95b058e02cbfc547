"""The name of a process, from which another process can find out later whether it is still alive.

    <host>/<boot>:<pid>:<start>      web-1/1c0ffee2:4711:88122

`boot` changes when the machine restarts and differs between containers, which number their processes alike;
`start` is when the process began, so that a number given to another process is not taken for it.
"""

import hashlib
import os
import socket
from functools import lru_cache
from pathlib import Path

import psutil

_STATE, _START = 0, 19  # places after the closing bracket of /proc/<pid>/stat, proc(5) fields 3 and 22
_GONE = {"Z", "X"}  # a zombie holds a number and does nothing


def worker_identity() -> str:
    """The name of this process, at most 120 characters."""
    return _identity_of(os.getpid())


def machine_of(identity: str) -> str:
    """The part that all processes of one machine or container share."""
    return identity.rsplit(":", 2)[0]


def this_machine() -> str:
    return machine_of(worker_identity())


def is_dead(identity: str) -> bool | None:
    """Return whether that process has ended; None if it ran on another machine, so that it can't be known."""
    parts = identity.rsplit(":", 2)
    if len(parts) != 3 or not parts[1].isdigit() or parts[0] != this_machine():
        return None
    return process_start(int(parts[1])) != parts[2]


def process_start(pid: int) -> str | None:
    """A mark of when that process began, in the machine's own unit; None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None if Path("/proc/self/stat").exists() else _start_without_proc(pid)
    fields = stat.rpartition(")")[2].split()
    return None if fields[_STATE] in _GONE else fields[_START]


def _start_without_proc(pid: int) -> str | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else str(int(process.create_time()))
    except psutil.Error:
        return None


@lru_cache(maxsize=4)  # by process: a fork asks for a name of its own
def _identity_of(pid: int) -> str:
    return f"{socket.gethostname()[:64]}/{_boot()}:{pid}:{process_start(pid)}"


@lru_cache(maxsize=1)
def _boot() -> str:
    """This boot of this machine, and the container in it, as eight hexadecimal digits."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        container = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        boot, container = str(int(psutil.boot_time())), 0
    return hashlib.sha256(f"{boot}/{container}".encode()).hexdigest()[:8]
