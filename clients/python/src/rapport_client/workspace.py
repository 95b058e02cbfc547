"""Runs any command on a relationship's files: an agent session of one's own, in a folder."""

import base64
import hashlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from rapport_client.client import Rapport
from rapport_client.errors import RapportError

MOST_CHANGES, MOST_BYTES = 200, 600_000  # of one commit; base64 makes a third more of it
HEARTBEAT = 60.0  # seconds
OVER = ("done", "needs_review", "failed", "abandoned")


def run_in_workspace(
    client: Rapport,
    relationship: str,
    command: Sequence[str],
    *,
    task: str,
    folder: Path | None = None,
    wait: float = 120.0,
) -> tuple[int, dict[str, Any]]:
    """What the command came back with, and the session once it is merged or `wait` seconds have passed.

    The command runs in `folder`, else in one that is gone afterwards, with a token of the session in RAPPORT_API_KEY.
    What it changed is pushed and merged though it failed; hot context is curated first. Raises RapportError, OSError.
    """
    session = client.agent_sessions_start(relationship, task=task, worker="external")
    with tempfile.TemporaryDirectory() as spare:
        place = (folder or Path(spare)).resolve()
        before = _hydrate(client, relationship, session["branch"], place)
        known = {
            "RAPPORT_URL": client.base_url,
            "RAPPORT_API_KEY": session["token"] or "",
            "RAPPORT_RELATIONSHIP": relationship,
            "RAPPORT_SESSION": session["id"],
            "RAPPORT_BRANCH": session["branch"],
        }
        try:
            with _signs_of_life(client, relationship, session["id"]):
                done = subprocess.run(list(command), cwd=place, env={**os.environ, **known}, check=False)  # noqa: S603
        except OSError:  # there is no such command
            client.agent_sessions_stop(relationship, session["id"])
            raise
        said = f"`{command[0]}` came back with {done.returncode}."
        for changes in _changes(before, place):
            client.files_change(relationship, branch=session["branch"], changes=changes, message=task[:200])
    ended: Any = client.agent_sessions_finish(relationship, session["id"], summary=said)
    deadline = monotonic() + wait
    while ended["state"] not in OVER and monotonic() < deadline:
        sleep(0.5)
        ended = client.agent_sessions_read(relationship, session["id"])
    return done.returncode, ended


def _hydrate(client: Rapport, relationship: str, branch: str, place: Path) -> dict[str, str]:
    """SHA-256 of each file by its path. The folder holds nothing else."""
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise FileExistsError(f"{place} is not empty.")
    listed = client.files_list(relationship, branch=branch)["files"]
    for line in listed:
        read = client.files_read(relationship, line["path"], branch=branch)
        path = (place / line["path"]).resolve()
        if not path.is_relative_to(place):
            raise RapportError(f"{line['path']!r} lies outside of the folder.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            base64.b64decode(read["content"]) if read["encoding"] == "base64" else read["content"].encode()
        )
        path.chmod(0o755 if line["executable"] else 0o644)
    return {line["path"]: line["sha256"] for line in listed}


def _changes(before: dict[str, str], place: Path) -> Iterator[list[Any]]:
    """In commits of what one request may hold. Links and what git keeps of itself are left out."""
    found = {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(place).parts
    }
    part: list[Any] = [{"path": path, "delete": True} for path in before.keys() - found.keys()]
    size = 0
    for path, content in found.items():
        if before.get(path) == hashlib.sha256(content).hexdigest():
            continue
        if len(part) >= MOST_CHANGES or (part and size + len(content) > MOST_BYTES):
            yield part
            part, size = [], 0
        told = {"path": path, "content": base64.b64encode(content).decode(), "encoding": "base64"}
        part.append(told | ({"executable": True} if os.access(place / path, os.X_OK) else {}))
        size += len(content)
    while part:
        yield part[:MOST_CHANGES]
        part = part[MOST_CHANGES:]


@contextmanager
def _signs_of_life(client: Rapport, relationship: str, session: str) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        while not over.wait(HEARTBEAT):
            try:
                client.agent_sessions_heartbeat(relationship, session)
            except RapportError:
                continue  # the next one may arrive

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
