"""What each operation does to the workbench: add, update, delete. No database here; apply.py writes it down."""

from datetime import datetime

from memory.ingestion.operations import Operation, Verdict
from memory.ingestion.workbench import Workbench, subject_of
from memory.models import EntrySource, EntryState, RevisionEvent, ScratchpadEntry
from memory.services.fingerprint import content_hash
from memory.services.history import Change, Origin, fields_of
from relationships.ids import uuid7

CHANGED_MEANWHILE = "the entry was changed while the model answered; the later text stands"
NEWER = "the entry is newer than the turn this rests on"


def carry_out(bench: Workbench, operation: Operation, origin: Origin) -> None:
    """Do one operation, or refuse it with a reason. Deletions that are held are judged before this."""
    {"add": _add, "update": _update, "delete": delete}[operation.op](bench, operation, origin)


def _add(bench: Workbench, operation: Operation, origin: Origin) -> None:
    said_at, subject = bench.said_at(operation), subject_of(operation)
    fingerprint = (subject, content_hash(operation.content))
    same = bench.active.get(fingerprint)
    if same is not None:
        _confirm(bench, operation, same, origin)
        return
    if bench.forgotten.get(fingerprint, said_at) > said_at:
        bench.judge(operation, Verdict.REFUSED, "was deleted after the turn this rests on")
        return
    key = (subject, operation.key or "")
    single = operation.key in bench.reading.ingestion.single_valued
    if bench.is_full and not (single and key in bench.keyed):
        limit = bench.reading.ingestion.max_entries
        bench.judge(operation, Verdict.REFUSED, f"the relationship holds {limit} entries, as many as it may")
        return
    if single and not _key_is_free(bench, operation, key, said_at, origin):
        return
    entry = _new_entry(bench, operation, subject, single=single, said_at=said_at)
    bench.added.append(entry)
    bench.active[fingerprint] = entry
    if single:
        bench.keyed[key] = entry
    bench.changes.append(Change(RevisionEvent.ADD, None, fields_of(entry), said_at, operation.reason, origin))
    bench.judge(operation, Verdict.APPLIED, entry_id=entry.id)


def _update(bench: Workbench, operation: Operation, origin: Origin) -> None:
    entry = bench.target(operation)
    if not _may_change(bench, operation, entry):
        return
    assert entry is not None
    said_at, before = bench.said_at(operation), fields_of(entry)
    fingerprint = (subject_of(operation, entry), content_hash(operation.content))
    same = bench.active.get(fingerprint)
    if same is not None and same.id != entry.id:
        _merge(bench, operation, entry, same, origin)
        return
    if _says_the_same(entry, operation, said_at):
        _confirm(bench, operation, entry, origin)
        return
    key = (subject_of(operation, entry), entry.key or "")
    if entry.single_valued and not _key_is_free(bench, operation, key, said_at, origin, holder=entry):
        return
    bench.leave(entry)
    _rewrite(bench, entry, operation, said_at)
    entry.version += 1
    bench.active[fingerprint] = entry
    if entry.single_valued:
        bench.keyed[key] = entry
    bench.changes.append(
        Change(RevisionEvent.UPDATE, before, fields_of(entry), said_at, operation.reason, origin)
    )
    bench.judge(operation, Verdict.APPLIED, entry_id=entry.id)


def delete(bench: Workbench, operation: Operation, origin: Origin) -> None:
    entry = bench.target(operation)
    if not _may_change(bench, operation, entry):
        return
    assert entry is not None
    before, said_at = fields_of(entry), bench.said_at(operation)
    entry.state = EntryState.DELETED
    entry.version += 1
    # The words that asked for it are cited too: they are not shown to the model again.
    entry.source_message_ids = list(dict.fromkeys([*entry.source_message_ids, *bench.cited_ids(operation)]))
    bench.leave(entry)
    bench.changes.append(
        Change(RevisionEvent.DELETE, before, fields_of(entry), said_at, operation.reason, origin)
    )
    bench.judge(operation, Verdict.APPLIED, entry_id=entry.id)


def _may_change(bench: Workbench, operation: Operation, entry: ScratchpadEntry | None) -> bool:
    """Whether an entry that was shown may still be changed by this turn; if not, the refusal is written down."""
    assert operation.entry is not None
    shown = bench.reading.entries[operation.entry - 1]
    if entry is None:
        bench.judge(operation, Verdict.REFUSED, CHANGED_MEANWHILE, shown.id)
    elif entry.effective_at > bench.said_at(operation):
        bench.judge(operation, Verdict.REFUSED, NEWER, entry.id)
    else:
        return True
    return False


def _confirm(bench: Workbench, operation: Operation, entry: ScratchpadEntry, origin: Origin) -> None:
    """Said again: nothing changes, and the history shows that it was."""
    state = fields_of(entry)
    reason = "says exactly what is known already"
    bench.changes.append(Change(RevisionEvent.NONE, state, state, bench.said_at(operation), reason, origin))
    bench.judge(operation, Verdict.NONE, reason, entry.id)


def _merge(
    bench: Workbench, operation: Operation, entry: ScratchpadEntry, same: ScratchpadEntry, origin: Origin
) -> None:
    """The update makes an entry say what another says: the other stays, this one steps back."""
    before = fields_of(entry)
    entry.state, entry.valid_to = EntryState.SUPERSEDED, bench.said_at(operation)
    entry.version += 1
    bench.leave(entry)
    reason = f"now says the same as entry {same.id}"
    bench.changes.append(
        Change(RevisionEvent.MERGE, before, fields_of(entry), bench.said_at(operation), reason, origin)
    )
    bench.judge(operation, Verdict.APPLIED, reason, entry.id)


def _supersede(
    bench: Workbench, entry: ScratchpadEntry, said_at: datetime, reason: str, origin: Origin
) -> None:
    before = fields_of(entry)
    entry.state, entry.valid_to = EntryState.SUPERSEDED, said_at
    entry.version += 1
    bench.leave(entry)
    bench.changes.append(Change(RevisionEvent.SUPERSEDE, before, fields_of(entry), said_at, reason, origin))


def _key_is_free(
    bench: Workbench,
    operation: Operation,
    key: tuple[str, str],
    said_at: datetime,
    origin: Origin,
    *,
    holder: ScratchpadEntry | None = None,
) -> bool:
    """Make room under a single-valued key, (subject, key): whoever else holds it steps back. False: it may not, and
    the refusal is written down.
    """
    held = bench.keyed.get(key)
    if held is None or held is holder:
        return True
    if held.effective_at > said_at:
        bench.judge(operation, Verdict.REFUSED, f"a newer {key[1]} is known", held.id)
        return False
    if held.read_only:
        bench.judge(operation, Verdict.REFUSED, f"the entry that holds {key[1]} is read-only", held.id)
        return False
    _supersede(bench, held, said_at, f"{key[1]} has a new value", origin)
    return True


def _says_the_same(entry: ScratchpadEntry, operation: Operation, said_at: datetime) -> bool:
    """Whether the update would change nothing that a reader or a layer sees. The key is no part of an update."""
    return (
        entry.content == operation.content
        and entry.subject == subject_of(operation, entry)
        and operation.type in ("", entry.type)
        and operation.importance in (None, entry.importance)
        and operation.happens_at in (None, entry.happens_at)
        and _ahead(operation.expires_at, said_at) in (None, entry.expires_at)
    )


def _new_entry(
    bench: Workbench, operation: Operation, subject: str, *, single: bool, said_at: datetime
) -> ScratchpadEntry:
    return ScratchpadEntry(
        relationship_id=bench.reading.relationship_id,
        project_id=bench.reading.project_id,
        id=uuid7(),
        type=operation.type,
        subject=subject,
        content=operation.content,
        content_hash=content_hash(operation.content),
        key=operation.key,
        single_valued=single,
        importance=operation.importance if operation.importance is not None else 0.5,
        source=EntrySource.TURN,
        source_message_ids=bench.cited_ids(operation),
        recorded_at=bench.now,
        effective_at=said_at,
        happens_at=operation.happens_at,
        expires_at=_ahead(operation.expires_at, said_at),
    )


def _rewrite(bench: Workbench, entry: ScratchpadEntry, operation: Operation, said_at: datetime) -> None:
    entry.content = operation.content
    entry.content_hash = content_hash(operation.content)
    entry.subject = subject_of(operation, entry)
    entry.type = operation.type or entry.type
    if operation.importance is not None:
        entry.importance = operation.importance
    entry.happens_at = operation.happens_at or entry.happens_at
    entry.expires_at = _ahead(operation.expires_at, said_at) or entry.expires_at
    entry.effective_at = said_at
    entry.source_message_ids = list(dict.fromkeys([*entry.source_message_ids, *bench.cited_ids(operation)]))


def _ahead(expires_at: datetime | None, said_at: datetime) -> datetime | None:
    """An entry that would be over before it was said is a misunderstanding: keep it."""
    return expires_at if expires_at is not None and expires_at > said_at else None
