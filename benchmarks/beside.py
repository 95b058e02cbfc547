"""`POST /context` of this code beside another commit's, each with its own environment, database and processes.

    python -m benchmarks.beside                  # beside the code before decision 20, which served with gunicorn
    python -m benchmarks.beside --commit HEAD~20 --rounds 10

Both are filled over REST with one sample and take turns, slice by slice; this code also with the layers that were the
default before decision 20, which searched nothing that was said. Nothing is written into benchmarks/results.
"""

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from socket import socket
from statistics import median
from typing import Any

from benchmarks.client import Client
from benchmarks.timing import machine

HERE = Path(__file__).resolve().parent.parent
BEFORE = "a86f0ec9^"  # the last commit that served with gunicorn
CONNECTIONS = (1, 8, 32)
PATIENCE = 600  # seconds until a service answers
ENTRIES, TURNS, CHARACTERS = 100, 30, 1000
ORDER_THEN = ["core", "priorities", "memory", "knowledge", "profile", "session", "messages", "current"]


@dataclass(frozen=True, slots=True)
class Side:
    client: Client
    request: str
    request_then: str  # with the layers of then


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside", description=__doc__)
    parser.add_argument("--commit", default=BEFORE, help="the other side (%(default)s)")
    parser.add_argument("--rounds", type=int, default=6, help="slices of each (%(default)s)")
    parser.add_argument("--seconds", type=float, default=2, help="of a slice (%(default)s)")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rapport-beside-")))
        folder.chmod(0o711)  # the database's account has to pass through
        tree = stack.enter_context(_checked_out(options.commit, folder / "code"))
        before, now = (
            stack.enter_context(_served(code, folder / name))
            for name, code in (("before", tree), ("now", HERE))
        )
        print(", ".join(f"{name} {value}" for name, value in machine().items()))
        print(
            f"| `POST /context`: connections | {options.commit} | now | pair by pair, median (least to most) | "
            "now, with the layers of then | pair by pair |"
        )
        print("|---|---:|---:|---:|---:|---:|")
        loads = [(before, before.request), (now, now.request), (now, now.request_then)]
        for connections in CONNECTIONS:
            rounds = [
                [_rate(side.client, asked, connections, options.seconds) for side, asked in loads]
                for _ in range(options.rounds + 1)
            ][1:]  # the first warms them
            first, *others = zip(*rounds, strict=True)
            cells = [f"{median(first):.0f}/s"]
            for after in others:
                times = [mine / theirs for mine, theirs in zip(after, first, strict=True)]
                cells += [
                    f"{median(after):.0f}/s",
                    f"{median(times):.2f} x ({min(times):.2f} to {max(times):.2f})",
                ]
            print(f"| {connections} | {' | '.join(cells)} |", flush=True)


def _rate(client: Client, asked: str, connections: int, seconds: float) -> float:
    """Answers a second."""
    return client.drive([asked], connections=connections, seconds=seconds).require(200).per_second


@contextmanager
def _checked_out(commit: str, tree: Path) -> Iterator[Path]:
    """That commit's code, and its environment."""
    _run("git", "worktree", "add", "--quiet", "--detach", str(tree), commit, code=HERE)
    try:
        _run("make", "venv", code=tree)
        yield tree
    finally:
        _run("git", "worktree", "remove", "--force", str(tree), code=HERE)


@contextmanager
def _served(code: Path, data: Path) -> Iterator[Side]:
    """The service of that code on a port and a data folder of its own, filled."""
    data.mkdir(mode=0o755)
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    manage = [str(code / ".venv/bin/python"), "manage.py"]
    own = {"RAPPORT_DATA_DIR": str(data), "RAPPORT_LLM_PROVIDER": "offline", "RAPPORT_LOG_LEVEL": "WARNING"}
    with (data / "log").open("w") as log:
        service = subprocess.Popen(
            [*manage, "serve", "--port", str(port)], cwd=code, env=_environment(**own), stdout=log, stderr=log
        )
    try:
        if not _answers(port, service):
            raise RuntimeError(
                f"The service of {code} did not come up:\n{(data / 'log').read_text()[-3000:]}"
            )
        told = _run(*manage, "create_project", "Beside", "--key", code=code, **own)
        found = re.search(r"rk_[\w-]+", told)
        assert found is not None, told
        client = Client("127.0.0.1", port, found.group())
        installed, then = _fill(client, "ada", {}), _fill(client, "lin", {"context": {"order": ORDER_THEN}})
        yield Side(client, installed, then)
    finally:
        service.terminate()
        service.wait(timeout=60)
        _run(*manage, "stop", code=code, **own)


def _fill(client: Client, slug: str, config: dict[str, Any]) -> str:
    """The sample, of a companion with this configuration; a request for its context."""

    def send(method: str, path: str, body: dict[str, Any]) -> Any:
        return client.ask(method, f"/v1/{path}", body)

    send(
        "POST",
        "companions",
        {"slug": slug, "name": slug, "config": {"ingestion": {"enabled": False}, **config}},
    )
    here = f"relationships/{send('POST', 'relationships', {'companion': slug, 'user': 'maya'})['id']}"
    send("PUT", f"{here}/profile", {f"fact {number}": "word " * 8 for number in range(40)})
    for number in range(ENTRIES):
        send(
            "POST",
            f"{here}/entries",
            {"type": "other", "content": f"Likes the book number {number}, and why"},
        )
    for number in range(TURNS):
        said = [
            {"role": role, "content": f"{number} word".ljust(CHARACTERS, ".")}
            for role in ("user", "assistant")
        ]
        send("POST", f"{here}/turns", {"session": "current", "messages": said})
    return client.request(
        "POST", f"/v1/{here}/context", {"session": "current", "message": "What shall I read?"}
    )


def _answers(port: int, service: "subprocess.Popen[bytes]") -> bool:
    """Whether it does, before patience ends."""
    ends_at = time.monotonic() + PATIENCE
    while service.poll() is None and time.monotonic() < ends_at:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return True
        except OSError:
            time.sleep(0.2)
        finally:
            connection.close()
    return False


def _environment(**own: str) -> dict[str, str]:
    """Nothing of this shell's own settings."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("RAPPORT_", "DATABASE_"))
    }
    return {**kept, **own}


def _run(*command: str, code: Path, **own: str) -> str:
    done = subprocess.run(
        command, cwd=code, env=_environment(**own), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
