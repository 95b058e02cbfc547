"""A relationship with many entries: rows in the tables, with vectors and words of their own, and no model asked."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memory.models import Embedding, ScratchpadEntry, SearchedKind, SearchText
from memory.services.fingerprint import content_hash
from relationships.ids import uuid7
from relationships.models import Relationship

MODEL, DIMENSIONS = "sample", 8
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)

Units = NDArray[np.float32]


def units(count: int, *, seed: int = 7, dimensions: int = DIMENSIONS) -> Units:
    """Unit vectors as halfvec keeps them."""
    drawn = np.random.default_rng(seed).standard_normal((count, dimensions))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)


def fill(
    relationship: Relationship, count: int, *, seed: int = 7, vectors: Units | None = None, **values: Any
) -> list[UUID]:
    """So many active entries, each an hour older than the one before; where they stand in `units(count)`."""
    kept = units(count, seed=seed) if vectors is None else vectors
    entries = [_entry(relationship, place, seed, values) for place in range(count)]
    ScratchpadEntry.objects.bulk_create(entries)
    _index(entries, values.get("state", "active"))
    add_vectors(entries, kept)
    Relationship.objects.filter(id=relationship.id).update(last_seq=count + relationship.last_seq)
    relationship.refresh_from_db()
    return [entry.id for entry in entries]


def add_vectors(entries: Sequence[ScratchpadEntry], vectors: Units, *, model: str = MODEL) -> None:
    Embedding.objects.bulk_create(
        Embedding(
            relationship_id=entry.relationship_id,
            project_id=entry.project_id,
            kind=SearchedKind.ENTRY,
            owner_id=entry.id,
            model=model,
            dimensions=vectors.shape[1],
            vector=vector,
            text_hash=b"\0" * 32,
        )
        for entry, vector in zip(entries, vectors, strict=True)
    )


def _entry(relationship: Relationship, place: int, seed: int, values: dict[str, Any]) -> ScratchpadEntry:
    content = f"word{place % 50} item{place} set{seed}"
    given = {"importance": (place % 10 + 1) / 10, "effective_at": NOON - timedelta(hours=place), **values}
    return ScratchpadEntry(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        id=uuid7(),
        type="event",
        content=content,
        content_hash=content_hash(content),
        source="api",
        recorded_at=NOON,
        **given,
    )


def _index(entries: Sequence[ScratchpadEntry], state: str) -> None:
    SearchText.objects.bulk_create(
        SearchText(
            relationship_id=entry.relationship_id,
            project_id=entry.project_id,
            kind=SearchedKind.ENTRY,
            owner_id=entry.id,
            speaker=entry.subject,
            state=state,
            tier=entry.tier,
            told_at=entry.effective_at,
            language="simple",
            lexemes="",
            length=3,
            text_hash=b"\0" * 32,
        )
        for entry in entries
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memory_searchtext s SET lexemes = to_tsvector('simple', e.content)"
            "  FROM memory_scratchpadentry e WHERE e.relationship_id = s.relationship_id AND e.id = s.owner_id"
            "   AND s.relationship_id = %s",
            [entries[0].relationship_id],
        )
