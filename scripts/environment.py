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
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from typing import IO, NoReturn

NEEDED = (3, 11)
NEWER_NAMES = ("python3.14", "python3.13", "python3.12", "python3.11")
NEEDED_MEGABYTES = 1000  # the environment takes about half of it, a first database the rest

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "install.log"
# What each level installs. `dev` holds all of `run`.
LEVELS = {"run": ("requirements.txt",), "dev": ("requirements.txt", "requirements-dev.txt")}
UV = "uv==0.13.9"  # installs them in seconds; nothing needs it where it is not to be had

# What pip writes, and what it means; the first that fits is told.
MEANINGS = (
    ("No space left on device", "The disk is full. About {megabytes} MB are needed in {root}."),
    ("Disk quota exceeded", "Your disk quota is used up. About {megabytes} MB are needed in {root}."),
    (
        "Permission denied",
        "Files in {venv} belong to another account. Remove it as that account: rm -rf .venv",
    ),
    ("THESE PACKAGES DO NOT MATCH THE HASHES", "A package arrived damaged. Try again."),
    (
        "CERTIFICATE_VERIFY_FAILED",
        "The package index's certificate is not trusted: apt install ca-certificates",
    ),
    ("Connect", "{unreachable}"),
    ("Temporary failure in name resolution", "{unreachable}"),
    ("Read timed out", "{unreachable}"),
    ("ProxyError", "{unreachable}"),
    (
        "No matching distribution found for",
        "The package index has no '{package}' for this Python and machine.",
    ),
)
UNREACHABLE = (
    "The package index can't be reached. See that this machine is on the network; behind a proxy set HTTPS_PROXY,"
    " for a mirror of your own PIP_INDEX_URL."
)


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
    """By uv, which takes seconds; by pip where uv is not to be had or fails. Its words explain a failure."""
    LOG.write_text("")
    wanted, settings = str(ROOT / requirements), uv_settings()
    if settings is not None and pip("--retries", "1", "--only-binary", ":all:", UV) == 0:
        command = [str(VENV / "bin" / "uv"), "pip", "install", "--python", str(PYTHON), "-r", wanted]
        if run(command, {**os.environ, **settings}) == 0:
            return
    if pip("-r", wanted):
        fail(explain(LOG.read_text(errors="replace")))


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
    options = ["--progress-bar", "off", "--no-input", "--disable-pip-version-check"]
    return run([str(PYTHON), "-m", "pip", "install", *options, *words], dict(os.environ))


def run(command: list[str], env: dict[str, str]) -> int:
    """Let it work, with its words in the log, and show every moment that it does. The exit status."""
    with LOG.open("a") as log:
        try:
            process = subprocess.Popen(  # noqa: S603
                command, cwd=str(ROOT), env=env, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
            )
        except OSError as error:
            log.write(f"{command[0]}: {error}\n")
            return 1
        progress = Progress()
        reader = threading.Thread(target=read, args=(process.stdout, log, progress), daemon=True)
        reader.start()
        while reader.is_alive():
            progress.show()
            reader.join(progress.every)
        status = process.wait()
        progress.end()
    return status


def read(output: IO[bytes], log: IO[str], progress: Progress) -> None:
    for raw in output:
        line = raw.decode(errors="replace")
        log.write(line)
        log.flush()
        progress.note(line)


class Progress:
    """One line that changes in a terminal; elsewhere a line every few seconds."""

    def __init__(self) -> None:
        self.terminal = sys.stdout.isatty()
        self.every = 0.2 if self.terminal else 5.0
        self.began = time.monotonic()
        self.packages = 0
        self.doing = "asking the package index"

    def note(self, line: str) -> None:
        words = line.split()
        if line.startswith("Collecting") and len(words) > 1:
            self.packages += 1
            self.doing = "fetching " + words[1]
        elif line.startswith("Installing collected packages"):
            self.packages = len(line.split(":", 1)[1].split(","))
            self.doing = "installing them"
        elif line.startswith("Resolved") and words[1].isdigit():
            self.packages, self.doing = int(words[1]), "fetching and installing them"
        elif "Retrying" in line:
            self.doing = "the package index does not answer, trying again"

    def show(self) -> None:
        seconds = time.monotonic() - self.began
        if self.terminal or seconds >= 1:
            line = f"  {seconds:3.0f} s  {self.packages} packages, {self.doing}"
            sys.stdout.write("\r" + line[:78].ljust(78) if self.terminal else line + "\n")
            sys.stdout.flush()

    def end(self) -> None:
        if self.terminal:
            sys.stdout.write("\r" + " " * 78 + "\r")
            sys.stdout.flush()


def explain(output: str) -> str:
    """Why pip failed, in a sentence where we know one, and always its own last words."""
    tail = "\n".join("    " + line for line in output.strip().splitlines()[-6:])
    for sign, meaning in MEANINGS:
        if sign in output:
            package = output.partition("No matching distribution found for ")[2].split("\n")[0].split(" (")[0]
            reason = meaning.format(
                megabytes=NEEDED_MEGABYTES, root=ROOT, venv=VENV, package=package, unreachable=UNREACHABLE
            )
            break
    else:
        reason = "The packages could not be installed."
    return f"{reason}\npip's last words (all of them: {LOG}):\n{tail}"


def sudo() -> str:
    return "" if os.geteuid() == 0 else "sudo "


def say(text: str) -> None:
    print(text, flush=True)


def fail(text: str) -> NoReturn:
    sys.exit("\n" + text)


if __name__ == "__main__":
    sys.exit(main())
