"""Compares `POST /context` of this code with another commit's.

    python -m benchmarks.beside                  # with the code before decision 20, which served with gunicorn
    python -m benchmarks.beside --commit HEAD~20 --rounds 10

Each has its own environment, database and processes, and the same sample, made over REST. They alternate. This code is
also measured with the default layers of before decision 20, which did not search messages. No report is written.
"""

import argparse
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.client import Client
from benchmarks.report import Row, Section, listed
from benchmarks.timing import alternate, machine
from tests.acceptance.processes import ROOT, free_port, status_of
from tests.waiting import wait_until

BEFORE = "a86f0ec9^"  # the last commit that served with gunicorn
CONNECTIONS = (1, 8, 32)
START_SECONDS = 600
ENTRIES, TURNS, CHARACTERS = 100, 30, 1000
ORDER_THEN = ["core", "priorities", "memory", "knowledge", "profile", "session", "messages", "current"]
HEADINGS = ("connections", "the other", "now", "pair by pair", "now, with the layers of then", "pair by pair")
Load = tuple[Client, str]  # a request for a context, which is repeated


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
        before, _ = stack.enter_context(_served(tree, folder / "before"))
        loads = before, *stack.enter_context(_served(ROOT, folder / "now"))
        rows: list[Row] = [
            _row(loads, at, rounds=options.rounds, seconds=options.seconds) for at in CONNECTIONS
        ]
    how = (
        f"Answers a second of POST /context, {options.rounds} slices of each; the other is {options.commit}."
    )
    print(f"{listed(machine())}\n\n{Section('Beside another commit', how, headings=HEADINGS, rows=rows)}")


def _row(loads: tuple[Load, ...], connections: int, *, rounds: int, seconds: float) -> Row:
    def rate(client: Client, request: str) -> float:
        answers = client.drive([request], connections=connections, seconds=seconds)
        return answers.require(200).per_second

    rates = alternate(*(partial(rate, *load) for load in loads), rounds=rounds + 1)
    first, *others = [each[1:] for each in rates]  # without the first round, which warms up
    cells = [str(connections), f"{median(first):.0f}/s"]
    for after in others:
        times = [mine / theirs for mine, theirs in zip(after, first, strict=True)]
        between = f"({min(times):.2f} to {max(times):.2f})"
        cells += [f"{median(after):.0f}/s", f"{median(times):.2f} x {between}"]
    return cells


@contextmanager
def _checked_out(commit: str, tree: Path) -> Iterator[Path]:
    """Check the commit out into `tree`, with its environment."""
    _run("git", "worktree", "add", "--quiet", "--detach", str(tree), commit, code=ROOT)
    try:
        _run("make", "venv", code=tree)
        yield tree
    finally:
        _run("git", "worktree", "remove", "--force", str(tree), code=ROOT)


@contextmanager
def _served(code: Path, data: Path) -> Iterator[tuple[Load, Load]]:
    """Serve this code with samples in the data folder. Yields a load as installed, and one with the layers of then."""
    data.mkdir(mode=0o755)
    port = free_port()
    manage = [str(code / ".venv/bin/python"), "manage.py"]
    own = {"RAPPORT_DATA_DIR": str(data), "RAPPORT_LLM_PROVIDER": "offline", "RAPPORT_LOG_LEVEL": "WARNING"}
    command = [*manage, "serve", "--port", str(port)]
    with (data / "log").open("w") as log:
        service = subprocess.Popen(command, cwd=code, env=_environment(**own), stdout=log, stderr=log)

    def answers() -> bool:
        assert service.poll() is None, (data / "log").read_text()[-3000:]
        return status_of(f"http://127.0.0.1:{port}/healthz") == 200

    try:
        wait_until(answers, timeout=START_SECONDS, what=f"the service of {code}")
        told = _run(*manage, "create_project", "Beside", "--key", code=code, **own)
        key = re.search(r"rk_[\w-]+", told)
        assert key is not None, told
        client = Client("127.0.0.1", port, key.group())
        then = {"context": {"order": ORDER_THEN}}
        yield (client, _fill(client, "ada", {})), (client, _fill(client, "lin", then))
    finally:
        service.terminate()
        service.wait(timeout=60)
        _run(*manage, "stop", code=code, **own)


def _fill(client: Client, slug: str, config: dict[str, Any]) -> str:
    """Make a companion with this configuration and a sample relationship. Return a request for its context."""
    own = {"ingestion": {"enabled": False}, **config}
    client.ask("POST", "/v1/companions", {"slug": slug, "name": slug, "config": own})
    person = client.ask("POST", "/v1/relationships", {"companion": slug, "user": "maya"})
    here = f"/v1/relationships/{person['id']}"
    client.ask("PUT", f"{here}/profile", {f"fact {number}": "word " * 8 for number in range(40)})
    for number in range(ENTRIES):
        entry = {"type": "other", "content": f"Likes the book number {number}, and why"}
        client.ask("POST", f"{here}/entries", entry)
    for number in range(TURNS):
        text = f"{number} word".ljust(CHARACTERS, ".")
        said = [{"role": role, "content": text} for role in ("user", "assistant")]
        client.ask("POST", f"{here}/turns", {"session": "current", "messages": said})
    asked = {"session": "current", "message": "What shall I read?"}
    return client.request("POST", f"{here}/context", asked)


def _environment(**own: str) -> dict[str, str]:
    """This shell's environment without Rapport's settings, and `own` ones."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("RAPPORT_", "DATABASE_"))
    }
    return {**kept, **own}


def _run(*command: str, code: Path, **own: str) -> str:
    """Run a command in the folder `code`, and return its output. Raises CalledProcessError."""
    environment = _environment(**own)
    return subprocess.run(
        command, cwd=code, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


if __name__ == "__main__":
    main()
