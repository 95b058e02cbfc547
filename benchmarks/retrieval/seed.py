"""Puts relationships with entries, texts and vectors into the tables, by COPY."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from benchmarks.retrieval.draw import DIMENSIONS, Vectors
from memory.embedders.base import Embedded
from memory.retrieval.large import known
from memory.retrieval.large.find import note_large
from memory.retrieval.large.upkeep import keep_up
from memory.services.fingerprint import content_hash
from relationships.ids import relationship_id, uuid7
from relationships.models import Companion, EndUser, Project, Relationship

MODEL = "drawn"
NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
SPAN_DAYS = 360.0

_COLUMNS = {
    "memory_scratchpadentry": (
        "relationship_id id project_id type tier state subject content content_hash single_valued importance confidence"
        " weight pinned read_only tags metadata modality source source_message_ids recorded_at effective_at"
        " access_count version"
    ),
    "memory_searchtext": (
        "relationship_id id project_id kind owner_id place session role speaker state tier told_at language lexemes"
        " length text_hash attempts error_code"
    ),
    "memory_embedding": (
        "relationship_id id project_id kind owner_id model dimensions vector text_hash recorded_at"
    ),
}


@dataclass(frozen=True, slots=True)
class Filled:
    """A relationship and what it holds, in one order. `age_days` before NOW."""

    relationship: Relationship
    ids: Sequence[UUID]
    texts: Sequence[str]
    vectors: Vectors
    importance: NDArray[np.float64]
    age_days: NDArray[np.float64]


def new_companion(slug: str, config: dict[str, Any]) -> Companion:
    project = Project.objects.create(name=slug)
    return Companion.objects.create(project=project, slug=slug, name="Ada", config=config)


def new_relationship(companion: Companion, name: str) -> Relationship:
    user = EndUser.objects.create(project_id=companion.project_id, external_id=name, display_name="Maya")
    return Relationship.objects.create(
        id=relationship_id(companion.id, user.id),
        project_id=companion.project_id,
        companion=companion,
        user=user,
    )


def fill(relationship: Relationship, texts: Sequence[str], vectors: Vectors, *, seed: int) -> Filled:
    """Active entries of the archive, told within the last year."""
    count, random = len(texts), np.random.default_rng([3, seed])
    filled = Filled(
        relationship,
        [uuid7() for _ in range(count)],
        texts,
        vectors,
        random.uniform(0.2, 1, count),
        random.uniform(0, SPAN_DAYS, count),
    )
    rows = list(_rows(filled))
    for table, columns in _COLUMNS.items():
        _copy(table, columns.split(), (row[table] for row in rows))
    Relationship.objects.filter(id=relationship.id).update(last_seq=count)
    return filled


def make_large(filled: Filled) -> None:
    """What the duties do in time."""
    now = datetime.now(UTC)
    note_large(filled.relationship.id, now=now)
    keep_up(now)
    known.forget_known()


def asked(vector: Vectors) -> Embedded:
    """A question's vector, as an embedder would have made it."""
    return Embedded(vector[None, :], MODEL, DIMENSIONS, MODEL, None, 0.0, None)


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _rows(filled: Filled) -> Iterable[dict[str, tuple[Any, ...]]]:
    whose, project = filled.relationship.id, filled.relationship.project_id
    for place, (id, text) in enumerate(zip(filled.ids, filled.texts, strict=True)):
        told, digest = NOW - timedelta(days=float(filled.age_days[place])), content_hash(f"{text} {place}")
        importance = float(filled.importance[place])
        vector = HalfVector(filled.vectors[place]).to_text()
        lexemes = " ".join(f"{word}:{at}" for at, word in enumerate(text.split(), 1))
        yield {
            "memory_scratchpadentry": (
                *(
                    whose,
                    id,
                    project,
                    "event",
                    "archive",
                    "active",
                    "user",
                    text,
                    digest,
                    False,
                    importance,
                    1,
                    1,
                ),
                *(False, False, "{}", "{}", "text", "api", "{}", NOW, told, 0, 1),
            ),
            "memory_searchtext": (
                *(whose, id, project, "entry", id, 0, "", "", "user", "active", "archive", told, "simple"),
                *(lexemes, len(text.split()), digest, 0, ""),
            ),
            "memory_embedding": (whose, id, project, "entry", id, MODEL, DIMENSIONS, vector, digest, NOW),
        }


def _copy(table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
