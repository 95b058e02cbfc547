"""Reads and changes files on a branch. Every change is a commit, whole or not at all."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from relationships.models import Relationship
from relationships.services.rows import check_version, require_lock
from web.actor import Actor
from web.errors import Conflict, NotFound, StaleVersion
from workspace.errors import BadPath, FileNotThere, ReadOnlyFile, WorkspaceFull
from workspace.generated import (
    NOTES,
    TOOLS,
    generated_files,
    made_elsewhere,
    supplied_specs,
    way_fault,
    written_files,
)
from workspace.history import head_of, paths_between
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.hot_context import read_hot_context, show_hot_context
from workspace.identity import RAPPORT, author_of
from workspace.models import MAIN
from workspace.paths import check_path, twin_fault
from workspace.store import (
    Head,
    NewCommit,
    keep_commits,
    make_commit,
    move_branch,
    read_blobs,
    read_head,
    write_commit,
)
from workspace.trees import EXECUTABLE, FILE, Draft, Entry, Files, entry_of, key_of

TRIES = 32  # a try fails only if somebody else has committed at the same moment
LONGEST_MESSAGE = 2000
Contents = Mapping[str, bytes | None]  # by path; None: delete the file
Change = Callable[[Head], tuple[Draft, str]]  # what a commit makes of a branch, and its message


@dataclass(frozen=True, slots=True)
class FileRead:
    """`commit`: the commit it was read from; "" for a generated file."""

    path: str
    content: bytes
    sha256: str
    commit: str
    read_only: bool


def list_files(relationship: Relationship, branch: str = MAIN, *, at: str = "") -> tuple[Files, str]:
    """List the files by path, and the commit. On main, generated files are up to date. Raises NotFound."""
    head = head_of(relationship, branch, at)
    files = dict(head.files) if head else {}
    if branch == MAIN and not at:
        made = {path: entry_of(content) for path, content in generated_files(relationship).items()}
        files = written_files(relationship.id, files, made) | made
    return dict(sorted(files.items())), head.commit if head else ""


def read_file(relationship: Relationship, path: str, branch: str = MAIN, *, at: str = "") -> FileRead:
    """Raises FileNotThere, NotFound, BadPath."""
    check_path(path)
    head = head_of(relationship, branch, at)
    entry = head.files.get(path) if head else None
    if branch == MAIN and not at and (made_elsewhere(path) or path.startswith(TOOLS)):
        content = generated_files(relationship).get(path)
        if content is not None:
            return FileRead(path, content, entry_of(content).sha256, "", True)
        entry = written_files(relationship.id, {path: entry}, ()).get(path) if entry else None
    if head is None or entry is None:
        raise FileNotThere(f"There is no file {path}.")
    content = read_blobs(relationship.id, [entry])[entry.sha256]
    return FileRead(path, content, entry.sha256, head.commit, bool(made_elsewhere(path, branch)))


def read_files(
    relationship: Relationship, paths: Collection[str], branch: str = MAIN
) -> dict[str, tuple[str, bytes]]:
    """The SHA-256 and content of files that may be written, by path. Raises FileNotThere, NotFound, BadPath,
    ReadOnlyFile.
    """
    _refuse_generated(relationship, dict.fromkeys(paths), branch)
    head = head_of(relationship, branch) if paths else None
    files = {path: head.files[path] for path in paths if path in head.files} if head else {}
    if branch == MAIN:
        files = written_files(relationship.id, files, ())
    for path in paths:
        check_path(path)
        if path not in files:
            raise FileNotThere(f"There is no file {path}.")
    contents = read_blobs(relationship.id, [files[path] for path in paths])
    return {path: (files[path].sha256, contents[files[path].sha256]) for path in paths}


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
) -> Head:
    """Commit `changes`, unless the files already have this content. Returns where the branch is now.

    `expected`: the SHA-256 that a file must have now, "" if it must not exist. A file that already has the new content
    is never stale. `can_run`: whether a file is executable, by path; others keep their mode. Raises StaleVersion,
    BadPath, ReadOnlyFile, FileNotThere, WorkspaceFull, HotContextTooLong, NotFound, Conflict.
    """
    _refuse_generated(relationship, changes, branch)

    def changed(head: Head) -> tuple[Draft, str]:
        draft = changed_files(head.files, changes, expected or {}, can_run or {})
        return draft, message.strip() or _default_message(head.files, draft.files)

    return commit_on(relationship, branch, changed, by=by, session_id=session_id)


@transaction.atomic
def write_hot_context(
    *, relationship: Relationship, content: str, by: Actor, expected_version: int | None = None
) -> int:
    """Write hot context for a person, who knows it by version and not as a file. Returns its version.

    Raises StaleVersion, HotContextTooLong, NotFound.
    """
    require_lock(relationship.id)
    _, version = read_hot_context(relationship.id)
    check_version(expected=expected_version, current=version)
    change_files(relationship=relationship, changes={HOT_CONTEXT: content.encode()}, by=by)
    return read_hot_context(relationship.id)[1]


def changed_files(
    before: Files, changes: Contents, expected: Mapping[str, str], can_run: Mapping[str, bool]
) -> Draft:
    """The files after `changes`. Raises the same errors as change_files."""
    draft = Draft(dict(before))
    gone = [before[path] for path, content in changes.items() if content is None and path in before]
    moved = {entry.sha256 for entry in gone if entry.mode == EXECUTABLE}
    for path, content in changes.items():
        check_path(path)
        there = before.get(path)
        entry = None if content is None else entry_of(content)
        if entry:
            could_run = there.mode == EXECUTABLE if there else entry.sha256 in moved
            entry = entry._replace(mode=EXECUTABLE if can_run.get(path, could_run) else FILE)
        if path in expected and there != entry:
            _check_expected(path, expected[path], there)
        if content is None or entry is None:
            if there is None and path not in expected:
                raise FileNotThere(f"There is no file {path}.")
            draft.files.pop(path, None)
        elif there != entry:
            draft.files[path] = entry
            draft.blobs[key_of(entry.sha256)] = content
    check_limits(draft.files, added=draft.files.keys() - before.keys())
    return draft


def counts(path: str) -> bool:
    """Return whether a file counts towards the limits of a branch. Those that nobody may write, and those that every
    session has, leave the room to the others.
    """
    return path not in (HOT_CONTEXT, NOTES) and not made_elsewhere(path)


def check_limits(files: Files, *, added: object = True) -> None:
    """Raises WorkspaceFull, Conflict."""
    sizes = {path: entry.size for path, entry in files.items()}
    largest = max(sizes, key=sizes.__getitem__, default="")
    counted = [size for path, size in sizes.items() if counts(path)]
    for said, count, unit, limit in (
        (f"{largest} would have", sizes.get(largest, 0), "bytes", settings.MAX_FILE_BYTES),
        ("There would be", len(counted), "files", settings.MAX_FILES),
        ("The files would have", sum(counted), "bytes", settings.MAX_WORKSPACE_BYTES),
    ):
        if count > limit:
            raise WorkspaceFull(f"{said} {count} {unit}; {limit} are kept.", limit=limit)
    if added and (said := twin_fault(files)):
        raise Conflict(f"{said}: not every system could keep both.")


@transaction.atomic
def open_workspace(relationship: Relationship) -> Head:
    """Return the head of main, creating the branch if needed. Raises NotFound."""
    require_lock(relationship.id)
    if head := read_head(relationship.id, MAIN):
        return head
    now = timezone.now()
    begun = make_commit(Draft({}), parents=(), author=author_of(RAPPORT), message="Begin", at=now)
    keep_commits(relationship, [begun])
    move_branch(relationship, MAIN, begun, at=now)
    return begun


def refresh_generated(relationship: Relationship) -> Head:
    """Bring main's generated files up to date. Returns the new head of main."""
    made = generated_files(relationship)

    def refreshed(head: Head) -> tuple[Draft, str]:
        draft = Draft(written_files(relationship.id, head.files, made))
        for path, content in made.items():
            draft.put(path, content)
        return draft, "Bring in what is known"

    return commit_on(relationship, MAIN, refreshed, by=RAPPORT)


def commit_on(
    relationship: Relationship,
    branch: str,
    change: Change,
    *,
    by: Actor,
    session_id: UUID | None = None,
    also_from: tuple[str, ...] = (),
    always: bool = False,
) -> Head:
    """Commit what `change` makes of the branch; retry if somebody else committed first. If main's hot context changes,
    chat is shown it at once. `also_from`: more parents. `always`: even if nothing changed. Returns where the branch is
    now: a NewCommit if something changed. Raises NotFound, Conflict.
    """
    for _ in range(TRIES):
        head = read_head(relationship.id, branch)
        if head is None:
            if branch != MAIN:
                raise NotFound(f"There is no branch {branch[:120]}.")
            head = open_workspace(relationship)
        draft, message = change(head)
        if draft.files == head.files and not always:
            return head
        commit = make_commit(
            draft,
            parents=(head.commit, *also_from),
            author=author_of(by, session_id),
            message=message.replace("\x00", " ").strip()[:LONGEST_MESSAGE],
            at=head.next_moment(),
        )
        if _move(relationship, branch, head, commit, by, session_id):
            return commit
    raise Conflict("Others are changing this branch at the same time. Try again.")


def _move(
    relationship: Relationship, branch: str, head: Head, commit: NewCommit, by: Actor, session_id: UUID | None
) -> bool:
    """Move the branch from `head` to its next commit. Returns False if somebody else has moved it."""
    if branch != MAIN or commit.files.get(HOT_CONTEXT) == head.files.get(HOT_CONTEXT):
        return write_commit(relationship, branch, commit, moves_from=head.commit)
    with transaction.atomic():
        require_lock(relationship.id)
        if not write_commit(relationship, branch, commit, moves_from=head.commit):
            return False
        show_hot_context(relationship, commit, by=by, session_id=session_id)
        return True


def _check_expected(path: str, expected: str, there: Entry | None) -> None:
    if expected != (there.sha256 if there else ""):
        now = f"is {there.sha256} now" if there else "does not exist"
        raise StaleVersion(f"{path} {now}: read it again.", current_sha256=there.sha256 if there else None)


def _refuse_generated(relationship: Relationship, changes: Contents, branch: str) -> None:
    has_tools = any(path.startswith(TOOLS) for path in changes)
    specs = supplied_specs(relationship.companion_id) if has_tools else ()
    for path, content in changes.items():
        if source := made_elsewhere(path, branch, specs):
            raise ReadOnlyFile(f"{path} is generated from {source}: change that.")
        if content is not None and (said := way_fault(path)):
            raise BadPath.of("path", f"{path[:200]} {said}")


def _default_message(before: Files, after: Files) -> str:
    """The default commit message: `Change a.md, Add b.md and 3 more`."""
    changed = [
        f"{'Add' if path not in before else 'Delete' if path not in after else 'Change'} {path}"
        for path in paths_between(before, after)
    ]
    return ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
