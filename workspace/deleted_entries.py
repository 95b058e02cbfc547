"""Takes what hot context says about a deleted entry out of every branch. Contexts would show it until an agent rewrites
hot context. It is done by commits, which are undone if the entry is restored.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from memory.entries.history import ChangedEntries
from memory.mending.deletions import told_by_deleted
from memory.models import EntryState, ScratchpadEntry
from relationships.models import Relationship
from workspace.forgettable import branches_of, bring_back
from workspace.hot_context import PATH, show_hot_context
from workspace.identity import RAPPORT, author_of
from workspace.models import MAIN
from workspace.reverting import TAKES_OUT
from workspace.sentences import sentences_of, without
from workspace.store import Head, NewCommit, keep_commits, make_commit, move_branch, read_blobs, read_head
from workspace.trees import Draft, text_of


def follow_entries(changed: ChangedEntries) -> None:
    """Listen to changes of entries, in their transaction. Without a workspace this costs one statement per deletion."""
    moved = [(before, after) for before, after in changed.changes if before and after]
    deleted = [after["id"] for before, after in moved if _deletes(before, after)]
    restored = [
        _commit_message(before["id"], before["version"]) for before, after in moved if _deletes(after, before)
    ]
    if deleted:
        withhold(changed.relationship_id, [changed.entries[UUID(entry_id)] for entry_id in deleted])
    if restored and branches_of(changed.relationship_id):
        bring_back(_load_relationship(changed.relationship_id), restored)


def withhold(relationship_id: UUID, entries: Sequence[ScratchpadEntry]) -> None:
    """Remove from hot context what it says about these entries. In a transaction, under the relationship's row lock."""
    if branches := branches_of(relationship_id):
        _take_out(_load_relationship(relationship_id), branches, entries)


def withhold_again(relationship: Relationship) -> None:
    """Remove from main's hot context what it says about any deleted entry, as an earlier version was restored."""
    deleted = ScratchpadEntry.objects.for_relationship(relationship.id).filter(state=EntryState.DELETED)
    _take_out(relationship, [MAIN], deleted)


def _load_relationship(relationship_id: UUID) -> Relationship:
    rows = Relationship.objects.select_related("companion", "project", "user")
    found: Relationship = rows.get(id=relationship_id)
    return found


def _deletes(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return bool(before["state"] != EntryState.DELETED == after["state"])


def _take_out(
    relationship: Relationship, branches: Iterable[str], entries: Iterable[ScratchpadEntry]
) -> None:
    """Commit once per entry, with as many statements as for one entry. Hot contexts without sentences cost nothing."""
    heads = {branch: head for branch in branches if (head := read_head(relationship.id, branch))}
    texts = _hot_contexts(relationship.id, heads)
    sentences = {sentence for text in texts.values() for sentence in sentences_of(text)}
    deleted = list(entries) if sentences else []
    versions = {entry.id: entry.version for entry in deleted}
    told = told_by_deleted(relationship, deleted, sentences)
    for branch, text in texts.items():
        lefts: list[tuple[str, str]] = []
        for entry_id, gone in told.items():
            if (left := without(text, gone)) is not None:
                text = left
                lefts.append((_commit_message(entry_id, versions[entry_id]), left))
        if lefts:
            _commit_each(relationship, branch, heads[branch], lefts)


def _hot_contexts(relationship_id: UUID, heads: Mapping[str, Head]) -> dict[str, str]:
    """The text of hot context by branch, for branches that have one."""
    entries = {branch: head.files[PATH] for branch, head in heads.items() if PATH in head.files}
    contents = read_blobs(relationship_id, entries.values())
    texts = {branch: text_of(contents[entry.sha256]) for branch, entry in entries.items()}
    return {branch: text for branch, text in texts.items() if text}


def _commit_each(
    relationship: Relationship, branch: str, head: Head, texts: Iterable[tuple[str, str]]
) -> None:
    """Commit (message, text) pairs one after another. If the branch is main, chat is shown the last text."""
    commits: list[NewCommit] = []
    for message, text in texts:
        draft = Draft(dict(head.files))
        draft.put(PATH, text.encode())
        parents, author = (head.commit,), author_of(RAPPORT)
        head = make_commit(draft, parents=parents, author=author, message=message, at=head.next_moment())
        commits.append(head)
    keep_commits(relationship, commits)
    move_branch(relationship, branch, head, at=head.at)
    if branch == MAIN:
        show_hot_context(relationship, head, by=RAPPORT)


def _commit_message(entry_id: UUID | str, version: int) -> str:
    """The commit's message, by which a restoration finds it."""
    return f"{TAKES_OUT}entry {entry_id} said (version {version})"
