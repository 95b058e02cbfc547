"""The texts behind the index's rows, as an embedding model is to read them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from memory.indexing.rows import spoken
from memory.indexing.text import text_hash, without_names
from memory.indexing.vectors import OwedText
from memory.indexing.wanted import Wanted
from memory.indexing.write import forget_texts, index_entries, index_messages
from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.configuration import Retrieval
from relationships.models import Message


class Owner(NamedTuple):
    """A row of the index, by what it is of."""

    kind: str
    owner_id: UUID
    text_hash: bytes


def texts_of(wanted: Wanted, owners: Sequence[Owner], *, now: datetime) -> list[OwedText]:
    """In order. A row that does not tell its owner's text is put right, and left out. Under the row lock."""
    said = _said(wanted, owners)
    texts: list[OwedText] = []
    wrong: list[Owner] = []
    for owner in owners:
        text, digest = said.get((owner.kind, owner.owner_id), ("", b""))
        if digest == owner.text_hash:
            texts.append(OwedText(owner.kind, owner.owner_id, text, digest))
        else:
            wrong.append(owner)
    if wrong:
        _put_right(wanted, wrong, now)
    return texts


def _said(wanted: Wanted, owners: Iterable[Owner]) -> dict[tuple[str, UUID], tuple[str, bytes]]:
    """What each owner says, and the hash of its text before the names were taken out."""
    entries = ScratchpadEntry.objects.for_relationship(wanted.relationship_id)
    contents = entries.filter(id__in=_ids(owners, SearchedKind.ENTRY)).values_list("id", "content")
    said = {(SearchedKind.ENTRY.value, row[0]): (row[1], text_hash(row[1])) for row in contents}
    messages = _messages(wanted.relationship_id, _ids(owners, SearchedKind.MESSAGE))
    names = {*wanted.names, *(message.speaker for message in messages)}
    for message in messages:
        text = spoken(message.content)
        said[SearchedKind.MESSAGE.value, message.id] = (without_names(text, names), text_hash(text))
    return said


def _put_right(wanted: Wanted, owners: Sequence[Owner], now: datetime) -> None:
    retrieval = wanted.retrieval or Retrieval()
    entry_ids, message_ids = _ids(owners, SearchedKind.ENTRY), _ids(owners, SearchedKind.MESSAGE)
    own: dict[str, Any] = {"relationship_id": wanted.relationship_id, "project_id": wanted.project_id}
    index_entries(**own, entry_ids=entry_ids, retrieval=retrieval, now=now)
    messages = _messages(wanted.relationship_id, message_ids)
    index_messages(**own, messages=messages, retrieval=retrieval, now=now)
    gone = set(message_ids) - {message.id for message in messages}
    forget_texts(relationship_id=wanted.relationship_id, kind=SearchedKind.MESSAGE, owner_ids=gone)


def _ids(owners: Iterable[Owner], kind: SearchedKind) -> list[UUID]:
    return [owner.owner_id for owner in owners if owner.kind == kind.value]


def _messages(relationship_id: UUID, message_ids: Collection[UUID]) -> list[Message]:
    if not message_ids:
        return []
    return list(Message.objects.for_relationship(relationship_id).filter(id__in=message_ids))
