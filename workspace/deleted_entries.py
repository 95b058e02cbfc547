"""What hot context says of an entry leaves every branch when that is deleted, by commits that its restoration undoes:
until an agent writes hot context anew, contexts would show it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from memory.entries.history import ChangedEntries
from memory.mending.deletions import told_by_deleted
from memory.models import EntryState, ScratchpadEntry
from relationships.models import Relationship
from workspace.files import change_files
from workspace.forgettable import branches_of, bring_back, sentences_of, without
from workspace.hot_context import PATH
from workspace.identity import RAPPORT
from workspace.models import MAIN
from workspace.store import read_blobs, read_head
from workspace.trees import text_of


def follow_entries(changed: ChangedEntries) -> None:
    """Hears of changed entries, in that transaction. Without an agent's work one statement, where any is deleted."""
    moved = [(before, after) for before, after in changed.changes if before and after]
    deleted = [after["id"] for before, after in moved if _deletes(before, after)]
    restored = [_said(before["id"], before["version"]) for before, after in moved if _deletes(after, before)]
    if deleted:
        withhold(changed.relationship_id, [changed.entries[UUID(entry_id)] for entry_id in deleted])
    if restored and branches_of(changed.relationship_id):
        bring_back(_loaded(changed.relationship_id), restored)


def withhold(relationship_id: UUID, entries: Sequence[ScratchpadEntry]) -> None:
    """Take out of hot context what it says of these. In a transaction, under the relationship's row lock."""
    if branches := branches_of(relationship_id):
        _take_out(_loaded(relationship_id), branches, entries)


def withhold_again(relationship: Relationship) -> None:
    """Of whatever is deleted at present: main's hot context may be an earlier one."""
    deleted = ScratchpadEntry.objects.for_relationship(relationship.id).filter(state=EntryState.DELETED)
    _take_out(relationship, [MAIN], list(deleted))


def _loaded(relationship_id: UUID) -> Relationship:
    rows = Relationship.objects.select_related("companion", "project", "user")
    found: Relationship = rows.get(id=relationship_id)
    return found


def _deletes(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return bool(before["state"] != EntryState.DELETED == after["state"])


def _take_out(
    relationship: Relationship, branches: Iterable[str], entries: Sequence[ScratchpadEntry]
) -> None:
    versions = {entry.id: entry.version for entry in entries}
    texts = {branch: text for branch in branches if (text := _hot_context(relationship.id, branch))}
    sentences = {sentence for text in texts.values() for sentence in sentences_of(text)}
    for entry_id, told in told_by_deleted(relationship, entries, sentences).items():
        message = _said(entry_id, versions[entry_id])
        for branch, text in texts.items():
            left = without(text, told)
            if left is not None:
                texts[branch], changes = left, {PATH: left.encode()}
                change_files(
                    relationship=relationship, changes=changes, by=RAPPORT, branch=branch, message=message
                )


def _hot_context(relationship_id: UUID, branch: str) -> str:
    head = read_head(relationship_id, branch)
    entry = head.files.get(PATH) if head else None
    return (text_of(read_blobs(relationship_id, [entry])[entry.sha256]) or "") if entry else ""


def _said(entry_id: UUID | str, version: int) -> str:
    """The commit's message, by which it is found again."""
    return f"Take out what entry {entry_id} said (version {version})"
