"""Texts that should have vectors, as given to the model, and the vectors made from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pgvector import HalfVector

from config.postgresql.sessions import execute
from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.index.configs import RelationshipConfig
from memory.retrieval.index.rows import spoken
from memory.retrieval.index.text import text_hash, without_names
from memory.retrieval.index.write import index_again
from providers.embeddings.base import Embedded, Space
from relationships.ids import uuid7
from relationships.models import Message


class Owner(NamedTuple):
    """An index row, by its entry or message."""

    kind: str
    owner_id: UUID
    text_hash: bytes


@dataclass(frozen=True, slots=True)
class OwedText:
    """A text to embed. `text` is for the model, `text_hash` is the original's."""

    kind: str
    owner_id: UUID
    text: str
    text_hash: bytes


# Checked against the index: an erased or changed text has no row with this hash.
_WRITE = """
INSERT INTO memory_embedding
       (relationship_id, id, project_id, kind, owner_id, model, dimensions, vector, text_hash, recorded_at)
SELECT s.relationship_id, g.id, s.project_id, s.kind, s.owner_id, %(model)s, %(dimensions)s, g.vector::halfvec,
       s.text_hash, %(now)s
  FROM unnest(%(ids)s::uuid[], %(kinds)s::text[], %(owners)s::uuid[], %(hashes)s::bytea[], %(vectors)s::text[])
       AS g (id, kind, owner_id, text_hash, vector)
  JOIN memory_searchtext s
    ON s.relationship_id = %(relationship)s AND s.kind = g.kind AND s.owner_id = g.owner_id
   AND s.text_hash = g.text_hash
ON CONFLICT (relationship_id, kind, model, dimensions, owner_id) DO UPDATE
   SET vector = EXCLUDED.vector, text_hash = EXCLUDED.text_hash, recorded_at = EXCLUDED.recorded_at
RETURNING 1
"""
_DROP_OTHERS = """
DELETE FROM memory_embedding
 WHERE relationship_id = %s AND (kind, model, dimensions, owner_id) IN (
       SELECT kind, model, dimensions, owner_id FROM memory_embedding
        WHERE relationship_id = %s AND (model, dimensions) <> (%s, %s) LIMIT %s) RETURNING 1
"""
_ROWS_AT_ONCE = 5_000


def texts_of(wanted: RelationshipConfig, owners: Sequence[Owner], *, now: datetime) -> list[OwedText]:
    """The texts, in order. A row that doesn't match its owner's text is corrected and left out. Under the row lock."""
    said = _said(wanted, owners)
    texts: list[OwedText] = []
    wrong: list[Owner] = []
    for owner in owners:
        text, digest = said.get((owner.kind, owner.owner_id), ("", b""))
        if digest == owner.text_hash:
            texts.append(OwedText(owner.kind, owner.owner_id, text, digest))
        else:
            wrong.append(owner)
    for kind in SearchedKind:
        if of_kind := _ids(wrong, kind):
            index_again(wanted, kind, of_kind, now=now)
    return texts


def _said(wanted: RelationshipConfig, owners: Iterable[Owner]) -> dict[tuple[str, UUID], tuple[str, bytes]]:
    """Each owner's text, and its hash before names were removed."""
    entries = ScratchpadEntry.objects.for_relationship(wanted.relationship_id)
    contents = entries.filter(id__in=_ids(owners, SearchedKind.ENTRY)).values_list("id", "content")
    said = {(SearchedKind.ENTRY.value, row[0]): (row[1], text_hash(row[1])) for row in contents}
    owned = Message.objects.for_relationship(wanted.relationship_id)
    messages = list(owned.filter(id__in=_ids(owners, SearchedKind.MESSAGE)))
    names = {*wanted.names, *(message.speaker for message in messages)}
    for message in messages:
        text = spoken(message.content)
        said[SearchedKind.MESSAGE.value, message.id] = (without_names(text, names), text_hash(text))
    return said


def _ids(owners: Iterable[Owner], kind: SearchedKind) -> list[UUID]:
    return [owner.owner_id for owner in owners if owner.kind == kind.value]


def write_vectors(
    relationship_id: UUID, texts: Sequence[OwedText], embedded: Embedded, *, now: datetime
) -> int:
    """Write one vector per text, in order; return how many. Call it under the relationship's row lock."""
    vectors = [HalfVector(vector).to_text() for vector in embedded.vectors]
    params: dict[str, Any] = {
        "relationship": relationship_id,
        "model": embedded.model,
        "dimensions": embedded.dimensions,
        "now": now,
        "ids": [uuid7() for _ in texts],
        "kinds": [text.kind for text in texts],
        "owners": [text.owner_id for text in texts],
        "hashes": [text.text_hash for text in texts],
        "vectors": vectors,
    }
    return len(execute(_WRITE, params))


def drop_other_spaces(relationship_id: UUID, kept: Space) -> int:
    """Delete the relationship's vectors in other spaces, in short statements; return how many."""
    params: list[Any] = [relationship_id, relationship_id, kept.model, kept.dimensions, _ROWS_AT_ONCE]
    dropped = 0
    while (some := len(execute(_DROP_OTHERS, params))) == _ROWS_AT_ONCE:
        dropped += some
    return dropped + some
