"""Runs any command on a copy of a relationship's files, as an agent session."""

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
from rapport_client.errors import Invalid, NotFound, ProblemError, RapportError, Stale
from rapport_client.sending import in_parts

MOST_CHANGES, MOST_CHARACTERS = 200, 800_000  # of one commit
HEARTBEAT = 60.0  # seconds
SKILLS = ".claude/skills"  # a link, which is not stored
Known = dict[str, tuple[str, bool]]  # by path: SHA-256, and whether the file is executable
OVER = ("done", "needs_review", "failed", "abandoned")


@dataclass(frozen=True)
class Ran:
    """`code`: the command's exit code. `left_out`: the reason for each path that was not stored; it is in `folder`."""

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
    """Run the command in a new agent session, and return when the session is merged or `wait` seconds have passed.

    The command runs in `folder`, which must be empty, or in a temporary folder, which stays only if something could not
    be stored. RAPPORT_API_KEY holds a token of the session. Its changes are pushed and merged even if it fails; before
    that, hot context is curated. Raises RapportError, OSError.
    """
    if folder is not None and folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty.")
    session: Any = client.agent_sessions_start(relationship, task=task, worker="external")
    place = (folder or Path(tempfile.mkdtemp(prefix="rapport-"))).resolve()
    try:
        place.mkdir(parents=True, exist_ok=True)
        before = _hydrate(client, relationship, session["branch"], place)
        with _heartbeat(client, relationship, session["id"]), _ignoring_interrupts():
            env = _environment(client, relationship, session)
            ended = subprocess.run(list(command), cwd=place, env=env, check=False).returncode  # noqa: S603
            code = ended if ended >= 0 else 128 - ended  # by a signal, as a shell says it
    except BaseException:  # such as: the command does not exist, or reading the files failed
        client.agent_sessions_stop(relationship, session["id"])
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)
        raise
    try:
        changes, left_out = _changes(before, place)
        left_out |= _push_all(client, relationship, session["branch"], changes, task[:200])
        said = [f"`{command[0]}` exited with {code}."]
        said += [f"{path} was not stored: {why}" for path, why in left_out.items()]
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
    """The command's environment. `rapport` is found at the end of PATH if it is nowhere else on it."""
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
    (place / "workspace/outputs").mkdir(parents=True, exist_ok=True)  # for results
    if (place / "skills").is_dir() and not (place / ".claude").exists():  # where Claude Code looks for skills
        (place / ".claude").mkdir()
        (place / SKILLS).symlink_to("../skills", target_is_directory=True)
    return {line["path"]: (line["sha256"], line["executable"]) for line in listed}


def _changes(before: Known, place: Path) -> tuple[list[Any], dict[str, str]]:
    """Return the changes to push, and the reason for each path that is a link or can't be read. `.git` is skipped."""
    changes: list[Any] = []
    unread: dict[str, str] = {}
    found: set[str] = set()
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place)
        try:
            if ".git" in name.parts:
                continue
            if path.is_symlink():
                if name.as_posix() != SKILLS:
                    unread[name.as_posix()] = _obstacle(place, name.as_posix())
                continue
            if not path.is_file():
                continue
            content, executable = path.read_bytes(), os.access(path, os.X_OK)
        except OSError as error:
            unread[name.as_posix()] = str(error.strerror)
            continue
        found.add(name.as_posix())
        if before.get(name.as_posix()) != (hashlib.sha256(content).hexdigest(), executable):
            changes.append({
                "path": name.as_posix(),
                "content": base64.b64encode(content).decode(),
                "encoding": "base64",
                "executable": executable,
            })  # fmt: skip
    missing = {path: _obstacle(place, path) for path in before.keys() - found - unread.keys()}
    gone = [{"path": path, "delete": True} for path, why in missing.items() if not why]
    return gone + changes, unread | {path: why for path, why in missing.items() if why}


def _obstacle(place: Path, path: str) -> str:
    """Return why a file was not found although nobody deleted it; "" if it was deleted."""
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


def _push_all(
    client: Rapport, relationship: str, branch: str, changes: list[Any], message: str
) -> dict[str, str]:
    """Push the changes. Return the reason for each path that can't be stored."""
    left_out = {}
    for change in list(changes):
        plain = os.fsencode(change["path"]).decode("utf-8", "replace")
        if plain != change["path"]:
            left_out[plain] = "its name is not UTF-8"
            changes.remove(change)
    parts = in_parts(
        changes,
        most=MOST_CHANGES,
        room=MOST_CHARACTERS,
        size_of=lambda change: len(change.get("content", "")),
    )
    for part in parts:
        left_out |= _push(client, relationship, branch, part, message)
    return left_out


def _push(
    client: Rapport, relationship: str, branch: str, changes: list[Any], message: str
) -> dict[str, str]:
    """Push them in one commit or, if that is refused, one by one. Return the reason for each path that is refused."""
    try:
        client.files_change(relationship, branch=branch, changes=changes, message=message)
    except (Invalid, Stale, NotFound) as error:
        if len(changes) == 1:
            return {changes[0]["path"]: _reason(changes[0], error)}
        refused: dict[str, str] = {}
        for change in changes:
            refused |= _push(client, relationship, branch, [change], message)
        return refused
    return {}


def _reason(change: Any, error: ProblemError) -> str:
    """What the service says, unless it speaks of the request, whose size says nothing about how large a file may be."""
    if not error.type.endswith(":too_much"):
        return error.detail
    return f"{len(base64.b64decode(change['content']))} bytes are too many for a file"


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Ctrl-C also reaches the command, which may go on. Its changes are stored in either case."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(
        signal.SIGINT, lambda *_: None
    )  # a handler, because the command would inherit SIG_IGN
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _heartbeat(client: Rapport, relationship: str, session: str) -> Iterator[None]:
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
