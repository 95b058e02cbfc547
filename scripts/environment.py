"""Makes `.venv` with what requirements.txt pins; does nothing when that is there. The Makefile runs it first.

With `dev` it holds requirements-dev.txt too. Each level has a stamp in `.venv`: a hash of what it is made of.

Only Python's standard library, and nothing that Python 3.7 can't read: this is the file that tells an old Python
that it is too old. Whatever is missing is named with the command that installs it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from typing import NoReturn

NEEDED = (3, 11)
NEWER_NAMES = ("python3.14", "python3.13", "python3.12", "python3.11")
NEEDED_MEGABYTES = 1000  # the environment takes about half of it, a first database the rest

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
# What each level installs. `dev` holds all of `run`.
LEVELS = {"run": ("requirements.txt",), "dev": ("requirements.txt", "requirements-dev.txt")}
UV = "uv==0.13.9"  # installs them in seconds; nothing needs it where it is not to be had


def main() -> int:
    newer = wanted_python(sys.version_info[:2], shutil.which)
    if newer:
        os.execv(newer, [newer, str(Path(__file__).resolve()), *sys.argv[1:]])  # noqa: S606 - Python itself
    level = "dev" if "dev" in sys.argv[1:] else "run"
    try:
        if not is_ready(level):
            with_lock(level)
    except OSError as error:
        fail(f"The environment in {VENV} can't be made: {error}.")
    except KeyboardInterrupt:
        fail("Stopped. The same command goes on from here.")
    return 0


def wanted_python(version: Sequence[int], which: Callable[[str], str | None]) -> str | None:
    """None if this Python will do, else the path of one that does. Exits, naming the command, without any."""
    if tuple(version) >= NEEDED:
        return None
    newer = next(filter(None, map(which, NEWER_NAMES)), None)
    if newer is None:
        have, need = ".".join(map(str, version)), ".".join(map(str, NEEDED))
        fail(
            f"Rapport needs Python {need} or newer; this one is {have}. Debian 12 and later have it:\n"
            f"    {sudo()}apt install python3.11 python3.11-venv     (or any newer one)\n"
            "If it is not in the PATH, name it: make PYTHON=/path/to/python3.11 demo"
        )
    return newer


def is_ready(level: str) -> bool:
    stamp = stamp_of(level)
    return PYTHON.exists() and stamp.is_file() and stamp.read_text() == mark(level)


def stamp_of(level: str) -> Path:
    return VENV / f"installed-{level}"


def mark(level: str) -> str:
    """What the environment was made from: the pins, its place, and the Python behind it."""
    pins = [(ROOT / name).read_bytes() for name in LEVELS[level]]
    made_from = (os.path.realpath(VENV), os.path.realpath(str(PYTHON)), pins)
    return hashlib.sha256(repr(made_from).encode()).hexdigest()


def with_lock(level: str) -> None:
    """Build it, alone: `make demo` and `make test` may be started at once. The lock is freed if we die."""
    folder = os.open(str(ROOT), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not is_ready(level):
            build(level)
    finally:
        os.close(folder)


def build(level: str) -> None:
    began = time.monotonic()
    if is_usable():
        say("Bringing the environment in .venv up to date …")
    else:
        check_machine()
        say("Making the environment in .venv …")
        make()
    # An install that is interrupted may have taken packages away: until one ends well, nothing is ready.
    for stamp in filter(Path.exists, map(stamp_of, LEVELS)):
        stamp.unlink()
    install(LEVELS[level][-1])
    for known, files in LEVELS.items():
        if set(files) <= set(LEVELS[level]):
            stamp_of(known).write_text(mark(known))
    say(f"The environment is ready, after {time.monotonic() - began:.0f} s.")


def is_usable() -> bool:
    """Whether packages can be added to what is there. In a folder that was moved, programs lead to the old one."""
    try:
        stays = str(VENV).encode() in (VENV / "bin" / "pip").read_bytes()[:1000]
        asked = f"import pip, sys; sys.exit(sys.version_info < {NEEDED})"
        return stays and subprocess.call([str(PYTHON), "-c", asked], stderr=subprocess.DEVNULL) == 0  # noqa: S603
    except OSError:
        return False


def make() -> None:
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    made = subprocess.run(  # noqa: S603 - no shell, nothing of anybody else's
        command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
    )
    if made.returncode:
        fail("The environment could not be made:\n" + made.stdout.decode(errors="replace").strip())


def check_machine() -> None:
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        name = "python{}.{}-venv".format(*sys.version_info[:2])
        fail(f"Python's venv is missing. Install it:\n    {sudo()}apt install {name}")
    free = shutil.disk_usage(str(ROOT)).free // 1_000_000
    if free < NEEDED_MEGABYTES:
        fail(f"{free} MB are free in {ROOT}; about {NEEDED_MEGABYTES} are needed.")


def install(requirements: str) -> None:
    """By uv, which takes seconds; by pip where uv is not to be had or fails. Both say how far they are."""
    wanted, settings = str(ROOT / requirements), uv_settings()
    if settings is not None and pip("--quiet", "--retries", "1", "--only-binary", ":all:", UV) == 0:
        command = [str(VENV / "bin" / "uv"), "pip", "install", "--python", str(PYTHON), "-r", wanted]
        if subprocess.call(command, cwd=str(ROOT), env={**os.environ, **settings}) == 0:  # noqa: S603
            return
    if pip("-r", wanted):
        fail(
            "The packages could not be installed; why, the lines above say. Is the machine on the network? Behind a"
            f" proxy set HTTPS_PROXY, for a mirror of your own PIP_INDEX_URL. {NEEDED_MEGABYTES} MB are needed."
        )


def uv_settings() -> dict[str, str] | None:
    """What uv has to know of pip's configuration, which it does not read; None where only pip can follow that."""
    told = subprocess.run(  # noqa: S603
        [str(PYTHON), "-m", "pip", "config", "list"], stdin=DEVNULL, stdout=PIPE, text=True
    )
    found = re.findall(r"^(\S+)\.([a-z-]+)='(.*)'$", told.stdout, re.MULTILINE)
    of_pip = {name: value for _, name, value in sorted(found, key=lambda row: row[0] == ":env:")}
    if told.returncode or of_pip.keys() & {"no-index", "trusted-host", "client-cert", "proxy"}:
        return None
    # Python may not keep what it compiles: then it is done once, here, and not at each start.
    settings = {"UV_COMPILE_BYTECODE": "1"} if os.environ.get("PYTHONDONTWRITEBYTECODE") else {}
    known = {"index-url": "UV_DEFAULT_INDEX", "cert": "SSL_CERT_FILE"}
    return {**settings, **{known[name]: value for name, value in of_pip.items() if name in known}}


def pip(*words: str) -> int:
    """Its exit status."""
    command = [str(PYTHON), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", *words]
    return subprocess.call(command, cwd=str(ROOT), stdin=DEVNULL)  # noqa: S603


def sudo() -> str:
    return "" if os.geteuid() == 0 else "sudo "


def say(text: str) -> None:
    print(text, flush=True)


def fail(text: str) -> NoReturn:
    sys.exit("\n" + text)


if __name__ == "__main__":
    sys.exit(main())
