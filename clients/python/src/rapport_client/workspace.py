"""Runs any command on a relationship's files: an agent session of one's own, in a folder."""

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from rapport_client.client import Rapport
from rapport_client.errors import Invalid, NotFound, RapportError, Stale

MOST_CHANGES, MOST_CHARACTERS = 200, 800_000  # of one commit
HEARTBEAT = 60.0  # seconds
Known = dict[str, tuple[str, bool]]  # by path: SHA-256, and whether it can be run
OVER = ("done", "needs_review", "failed", "abandoned")


@dataclass(frozen=True)
class Ran:
    """`code`: what the command came back with. `left_out`: why by path, of what was not kept; it is in `folder`."""

    code: int
    session: dict[str, Any]
    left_out: dict[str, str]
    folder: Path


def run_in_workspace(
    client: Rapport,
    relationship: str,
    command: Sequence[str],
    *,
    task: str,
    folder: Path | None = None,
    wait: float = 120.0,
) -> Ran:
    """With the session once it is merged or `wait` seconds have passed.

    The command runs in `folder`, else in one that is gone afterwards unless something was left out, with a token of the
    session in RAPPORT_API_KEY. What it changed is pushed and merged though it failed; hot context is curated first.
    Raises RapportError, OSError.
    """
    if folder is not None and folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty.")
    session: Any = client.agent_sessions_start(relationship, task=task, worker="external")
    place = (folder or Path(tempfile.mkdtemp(prefix="rapport-"))).resolve()
    try:
        place.mkdir(parents=True, exist_ok=True)
        before = _hydrate(client, relationship, session["branch"], place)
        with _signs_of_life(client, relationship, session["id"]), _interrupts_left_to_the_command():
            told = _environment(client, relationship, session)
            code = subprocess.run(list(command), cwd=place, env=told, check=False).returncode  # noqa: S603
    except BaseException:  # there is no such command, or the files did not come
        client.agent_sessions_stop(relationship, session["id"])
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)
        raise
    try:
        changes, left_out = _changes(before, place)
        left_out |= _give_back(client, relationship, session["branch"], changes, task[:200])
        said = [f"`{command[0]}` came back with {code}."]
        said += [f"{path} was left out: {why}" for path, why in left_out.items()]
        session = client.agent_sessions_finish(relationship, session["id"], summary="\n".join(said)[:2000])
    except RapportError as error:
        raise RapportError(f"{error} What the command wrote is in {place}.") from error
    if folder is None and not left_out:
        shutil.rmtree(place, ignore_errors=True)
    deadline = monotonic() + wait
    while session["state"] not in OVER and monotonic() < deadline:
        sleep(0.5)
        session = client.agent_sessions_read(relationship, session["id"])
    return Ran(code, session, left_out, place)


def _environment(client: Rapport, relationship: str, session: Any) -> dict[str, str]:
    """What the command finds; `rapport` at the end of its path, if it is not on it."""
    path = os.pathsep.join(filter(None, [os.environ.get("PATH"), str(Path(sys.executable).parent)]))
    return {
        **os.environ,
        "PATH": path,
        "RAPPORT_URL": client.base_url,
        "RAPPORT_API_KEY": session["token"] or "",
        "RAPPORT_RELATIONSHIP": relationship,
        "RAPPORT_SESSION": session["id"],
        "RAPPORT_BRANCH": session["branch"],
    }


def _hydrate(client: Rapport, relationship: str, branch: str, place: Path) -> Known:
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
    (place / "workspace/outputs").mkdir(parents=True, exist_ok=True)  # for what is made
    if (place / "skills").is_dir() and not (place / ".claude").exists():  # where Claude Code looks for them
        (place / ".claude").mkdir()
        (place / ".claude/skills").symlink_to("../skills", target_is_directory=True)
    return {line["path"]: (line["sha256"], line["executable"]) for line in listed}


def _changes(before: Known, place: Path) -> tuple[list[Any], dict[str, str]]:
    """And why, by path, of what can't be read. Links and what git keeps of itself are passed over."""
    changes: list[Any] = []
    unread: dict[str, str] = {}
    found: set[str] = set()
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place)
        try:
            if path.is_symlink() or not path.is_file() or ".git" in name.parts:
                continue
            content, can_run = path.read_bytes(), os.access(path, os.X_OK)
        except OSError as error:
            unread[name.as_posix()] = str(error.strerror)
            continue
        found.add(name.as_posix())
        if before.get(name.as_posix()) != (hashlib.sha256(content).hexdigest(), can_run):
            changes.append({
                "path": name.as_posix(),
                "content": base64.b64encode(content).decode(),
                "encoding": "base64",
                "executable": can_run,
            })  # fmt: skip
    missing = {path: _in_the_way(place, path) for path in before.keys() - found - unread.keys()}
    gone = [{"path": path, "delete": True} for path, why in missing.items() if not why]
    return gone + changes, unread | {path: why for path, why in missing.items() if why}


def _in_the_way(place: Path, path: str) -> str:
    """What keeps a file from being found that nobody deleted; "" where it is gone."""
    here = place
    for part in path.split("/"):
        here /= part
        if here.is_symlink():
            return f"{here.relative_to(place).as_posix()} is a link, which is not followed"
        try:
            here.lstat()
        except PermissionError as error:
            return str(error.strerror)
        except OSError:
            return ""
    return "can't be listed" if here.is_file() else ""


def _parts(changes: list[Any]) -> Iterator[list[Any]]:
    """In commits of what one request may hold."""
    part: list[Any] = []
    size = 0
    for change in changes:
        more = len(change.get("content", ""))
        if part and (len(part) >= MOST_CHANGES or size + more > MOST_CHARACTERS):
            yield part
            part, size = [], 0
        part.append(change)
        size += more
    if part:
        yield part


def _give_back(
    client: Rapport, relationship: str, branch: str, changes: list[Any], message: str
) -> dict[str, str]:
    """Why, by path, of what can't be kept."""
    left_out = {}
    for change in list(changes):
        plain = os.fsencode(change["path"]).decode("utf-8", "replace")
        if plain != change["path"]:
            left_out[plain] = "its name is not UTF-8"
            changes.remove(change)
    for part in _parts(changes):
        left_out |= _push(client, relationship, branch, part, message)
    return left_out


def _push(
    client: Rapport, relationship: str, branch: str, changes: list[Any], message: str
) -> dict[str, str]:
    """Together, else each by itself: why, by path, of those that are refused."""
    try:
        client.files_change(relationship, branch=branch, changes=changes, message=message)
    except (Invalid, Stale, NotFound) as error:
        if len(changes) == 1:
            return {changes[0]["path"]: error.detail}
        refused: dict[str, str] = {}
        for change in changes:
            refused |= _push(client, relationship, branch, [change], message)
        return refused
    return {}


@contextmanager
def _interrupts_left_to_the_command() -> Iterator[None]:
    """Ctrl-C reaches it too, and it may go on; what it did is kept either way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a handler, as SIG_IGN would be handed on
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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
