"""Reads and changes files on a branch. Every change is a commit, whole or not at all."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from relationships.models import Relationship
from relationships.services.rows import require_lock
from web.actor import Actor
from web.errors import Conflict, FieldProblem, NotFound, StaleVersion
from workspace.errors import BadPath, FileNotThere, ReadOnlyFile
from workspace.generated import (
    PROFILE,
    TOOLS,
    generated_files,
    made_elsewhere,
    supplied_specs,
    way_fault,
    written_files,
)
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.hot_context import hot_context_text, publish_hot_context
from workspace.identity import RAPPORT, author_of
from workspace.limits import check_limits
from workspace.models import MAIN
from workspace.paths import check_path
from workspace.store import (
    Head,
    keep_commits,
    make_commit,
    move_branch,
    read_blobs,
    read_commit,
    read_head,
    write_commit,
)
from workspace.trees import EXECUTABLE, FILE, Author, Entry, Files, entry_of, key_of, tree_sha

TRIES = 32  # others who commit at the same moment: a try in vain is a commit of somebody else
LONGEST_MESSAGE = 2000
Contents = Mapping[str, bytes | None]  # by path; None: it goes
NewTree = tuple[Files, Mapping[UUID, bytes], str]  # the new contents by their row's ID; the commit's message


@dataclass(frozen=True, slots=True)
class Committed:
    """Where the branch is now, and whether that is a new commit; `files` are all of it."""

    commit: str
    files: Files
    changed: bool


@dataclass(frozen=True, slots=True)
class FileRead:
    """`commit`: where it was read; "" for a generated file, which is made as it is read."""

    path: str
    content: bytes
    sha256: str
    commit: str
    read_only: bool


def list_files(relationship: Relationship, branch: str = MAIN, *, at: str = "") -> tuple[Files, str]:
    """The files by path, generated ones as they are now on main, and the commit. Raises NotFound."""
    head = _head(relationship, branch, at)
    files = dict(head.files) if head else {}
    if branch == MAIN and not at:
        made = {path: entry_of(content) for path, content in generated_files(relationship).items()}
        files = written_files(relationship.id, files, made) | made
    return dict(sorted(files.items())), head.commit if head else ""


def read_file(relationship: Relationship, path: str, branch: str = MAIN, *, at: str = "") -> FileRead:
    """Raises FileNotThere, NotFound, BadPath."""
    check_path(path)
    head = _head(relationship, branch, at)
    entry = head.files.get(path) if head else None
    if branch == MAIN and not at and (made_elsewhere(path) or path.startswith(TOOLS)):
        content = generated_files(relationship).get(path)
        if content is not None:
            return FileRead(path, content, entry_of(content).sha256, "", True)
        entry = written_files(relationship.id, {path: entry}, ()).get(path) if entry else None
    if head is None or entry is None:
        raise FileNotThere(f"There is no file {path}.")
    content = read_blobs(relationship.id, [entry])[entry.sha256]
    return FileRead(path, content, entry.sha256, head.commit, is_read_only(path, branch))


def change_files(
    *,
    relationship: Relationship,
    changes: Contents,
    by: Actor,
    branch: str = MAIN,
    message: str = "",
    expected: Mapping[str, str] | None = None,
    session_id: UUID | None = None,
    can_run: Mapping[str, bool] | None = None,
) -> Committed:
    """Commit `changes`, or find that the files say all that already.

    `expected`: the SHA-256 that a file must have now, "" for one that must not be there; a file that already says what
    it is to say is never stale. `can_run`: whether, by path; others stay as they are. Raises StaleVersion, BadPath,
    ReadOnlyFile, FileNotThere, WorkspaceFull, HotContextTooLong, NotFound.
    """
    _refuse_generated(relationship, changes, branch)

    def changed(head: Head) -> NewTree:
        files, blobs = changed_files(head.files, changes, expected or {}, can_run or {})
        return files, blobs, message.strip() or _said(head.files, files)

    return commit_on(relationship, branch, changed, author_of(by, session_id), by=by, session_id=session_id)


def commit_tree(
    relationship: Relationship,
    branch: str,
    head: Head,
    files: Files,
    blobs: Mapping[UUID, bytes],
    author: Author,
    message: str,
    *,
    by: Actor,
    also_from: tuple[str, ...] = (),
    session_id: UUID | None = None,
) -> str:
    """Move a branch from `head` to these files; where main's hot context changes, chat is shown it at once.

    The new commit's SHA; "" where somebody moved the branch meanwhile.
    """
    at = max(timezone.now(), head.at + timedelta(microseconds=1))  # so that a log is in order
    commit = make_commit(
        files, parents=(head.commit, *also_from), author=author, message=message, blobs=blobs, at=at
    )
    if branch != MAIN or files.get(HOT_CONTEXT) == head.files.get(HOT_CONTEXT):
        return commit.sha if write_commit(relationship.id, branch, commit, moves_from=head.commit) else ""
    with transaction.atomic():
        require_lock(relationship.id)
        if not write_commit(relationship.id, branch, commit, moves_from=head.commit):
            return ""
        show_hot_context(relationship, files, commit.sha, by=by, session_id=session_id)
        return commit.sha


def mark_commit(
    relationship: Relationship, branch: str, message: str, *, by: Actor, session_id: UUID | None = None
) -> str:
    """A commit that changes nothing and says what was done. Its SHA. Raises NotFound, Conflict."""
    author = author_of(by, session_id)
    return commit_on(
        relationship, branch, lambda head: (head.files, {}, message), author, by=by, always=True
    ).commit


def show_hot_context(
    relationship: Relationship, files: Files, commit: str, *, by: Actor, session_id: UUID | None = None
) -> None:
    """Publish what main's hot context says now. Raises HotContextTooLong."""
    entry = files.get(HOT_CONTEXT)
    content = read_blobs(relationship.id, [entry])[entry.sha256] if entry else b""
    publish_hot_context(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        text=hot_context_text(content),
        commit=commit,
        by=by,
        session_id=session_id,
    )


def changed_files(
    before: Files, changes: Contents, expected: Mapping[str, str], can_run: Mapping[str, bool]
) -> tuple[Files, dict[UUID, bytes]]:
    """The tree after `changes`, and the new contents by their row's ID. Raises as change_files does."""
    files, blobs = dict(before), dict[UUID, bytes]()
    gone = [before[path] for path, content in changes.items() if content is None and path in before]
    moved = {entry.sha256 for entry in gone if entry.mode == EXECUTABLE}
    for path, content in changes.items():
        check_path(path)
        there = files.get(path)
        entry = None if content is None else entry_of(content, mode=there.mode if there else FILE)
        if entry and can_run.get(path, there is None and entry.sha256 in moved):
            entry = entry._replace(mode=EXECUTABLE)
        elif entry and path in can_run:
            entry = entry._replace(mode=FILE)
        if path in expected and there != entry:
            _check_expected(path, expected[path], there)
        if content is None or entry is None:
            if there is None and path not in expected:
                raise FileNotThere(f"There is no file {path}.")
            files.pop(path, None)
        elif there != entry:
            files[path] = entry
            blobs[key_of(entry.sha256)] = content
    check_limits(files, added=files.keys() - before.keys())
    return files, blobs


@transaction.atomic
def open_workspace(relationship: Relationship) -> Head:
    """main, begun if it is not there. Raises NotFound."""
    require_lock(relationship.id)
    if head := read_head(relationship.id, MAIN):
        return head
    now = timezone.now()
    begun = make_commit({}, parents=(), author=author_of(RAPPORT), message="Begin", blobs={}, at=now)
    keep_commits(relationship, [begun])
    move_branch(relationship, MAIN, begun, at=now)
    return Head(begun.sha, begun.tree, {}, now)


def refresh_generated(relationship: Relationship) -> Head:
    """Bring main's generated files to where their sources are; main as it is then."""
    made = generated_files(relationship)
    new = {path: entry_of(content) for path, content in made.items()}

    def refreshed(head: Head) -> NewTree:
        kept = written_files(relationship.id, head.files, new)
        blobs = {key_of(new[path].sha256): content for path, content in made.items()}
        return kept | new, blobs, "Bring in what is known"

    done = commit_on(relationship, MAIN, refreshed, author_of(RAPPORT), by=RAPPORT)
    return Head(done.commit, tree_sha(done.files), done.files, timezone.now())


def commit_on(
    relationship: Relationship,
    branch: str,
    change: Callable[[Head], NewTree],
    author: Author,
    *,
    by: Actor,
    session_id: UUID | None = None,
    always: bool = False,
) -> Committed:
    """Commit what `change` makes of the branch, anew where others were faster; `always`: also of nothing. Raises
    NotFound, Conflict."""
    for _ in range(TRIES):
        head = read_head(relationship.id, branch)
        if head is None:
            if branch != MAIN:
                raise NotFound(f"There is no branch {branch[:120]}.")
            head = open_workspace(relationship)
        files, blobs, message = change(head)
        if files == head.files and not always:
            return Committed(head.commit, files, False)
        text = message.replace("\x00", " ").strip()[:LONGEST_MESSAGE]
        commit = commit_tree(
            relationship, branch, head, files, blobs, author, text, by=by, session_id=session_id
        )
        if commit:
            return Committed(commit, files, True)
    raise Conflict("Others are changing this branch at the same time. Try again.")


def _head(relationship: Relationship, branch: str, at: str) -> Head | None:
    head = read_commit(relationship.id, key_of(at)) if at else read_head(relationship.id, branch)
    if head is None and (at or branch != MAIN):
        raise NotFound("This commit is not there." if at else "This branch is not there.")
    return head


def _check_expected(path: str, expected: str, there: Entry | None) -> None:
    if expected != (there.sha256 if there else ""):
        now = f"is {there.sha256} now" if there else "is not there"
        raise StaleVersion(f"{path} {now}: read it again.", current_sha256=there.sha256 if there else None)


def is_read_only(path: str, branch: str, supplied: Container[str] = ()) -> bool:
    """On its own branch a session may propose another profile. `supplied`: the specs of the companion's tools."""
    return path in supplied or (bool(made_elsewhere(path)) and not (branch != MAIN and path == PROFILE))


def _refuse_generated(relationship: Relationship, changes: Contents, branch: str) -> None:
    for path, content in changes.items():
        if is_read_only(path, branch):
            raise ReadOnlyFile(f"{path} is made from {made_elsewhere(path)}: change that.")
        if content is not None and (said := way_fault(path)):
            raise BadPath(f"path: {path[:200]} {said}", problems=[FieldProblem("path", said)])
    if any(path.startswith(TOOLS) for path in changes):
        supplied = supplied_specs(relationship.companion_id)
        for path in changes.keys() & supplied.keys():
            raise ReadOnlyFile(f"{path} is one of the companion's own tools: change that.")


def _said(before: Files, after: Files) -> str:
    """`Change a.md, add b.md and 3 more`."""
    changed = [
        f"{'Add' if path not in before else 'Delete' if path not in after else 'Change'} {path}"
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]
    return ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
