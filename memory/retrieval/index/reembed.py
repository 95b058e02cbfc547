"""Moves a companion to another embedder: its vectors are made beside the old ones, then it changes over.

Searches go on in the old space until then. What is done can be read from the rows, so whoever is killed is run again
and goes on. Nothing is owed meanwhile: a worker may embed what is new for the old space at the same time.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import lock_config
from memory.retrieval.index.rows import owing_kinds
from memory.retrieval.index.text import text_hash
from memory.retrieval.index.vectors import OwedText, Owner, drop_other_spaces, texts_of, write_vectors
from providers.embeddings import Embedded, Embedder, Space
from providers.errors import ProviderError
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.merge_patch import merge_patch
from relationships.models import Companion, Relationship
from relationships.services.companions import write_companion_config
from web.actor import Actor
from web.errors import InvalidConfiguration
from worker.leases import retry_delay

TRIES = 6  # of a batch, before the move stops; run again, it goes on
RELATIONSHIPS_AT_ONCE = 500

_WITHOUT = """
  FROM memory_searchtext s
 WHERE s.relationship_id = %(relationship)s AND s.kind = ANY(%(kinds)s) AND s.state NOT IN ('deleted', 'skipped')
   AND s.text_hash <> %(nothing)s AND NOT EXISTS (
       SELECT FROM memory_embedding v
        WHERE v.relationship_id = %(relationship)s AND v.kind = s.kind AND v.model = %(model)s
          AND v.dimensions = %(dimensions)s AND v.owner_id = s.owner_id AND v.text_hash = s.text_hash)
"""
_COUNT = f"SELECT count(*) {_WITHOUT}"
_NEXT = f"""
SELECT s.kind, s.owner_id, s.text_hash {_WITHOUT} AND (s.kind, s.owner_id) > (%(kind)s, %(owner)s)
 ORDER BY s.kind, s.owner_id LIMIT %(limit)s
"""
_NOTHING = text_hash("")


@dataclass(slots=True)
class Moved:
    """What a move did: texts that have their new vector, texts refused for good, old vectors taken away."""

    written: int = 0
    refused: int = 0
    dropped: int = 0
    codes: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Move:
    """A companion on its way to `alias`, whose embedder gives vectors of `space`."""

    companion: Companion
    alias: str
    embedder: Embedder
    space: Space
    batch: int

    def relationships(self) -> Iterator[tuple[UUID, Retrieval]]:
        """Those that will have this embedder, and their configuration then: one may keep to another of its own."""
        rows = Relationship.objects.filter(companion_id=self.companion.id).order_by("id")
        patched = merge_patch(self.companion.config, {"retrieval": {"embedder": self.alias}})
        project = self.companion.project.config
        for relationship_id, config in rows.values_list("id", "config").iterator(RELATIONSHIPS_AT_ONCE):
            try:
                resolved = resolve_configuration(project=project, companion=patched, relationship=config)
            except InvalidConfiguration:
                continue  # nothing can be embedded there until somebody mends it
            if resolved.values.retrieval.embedder == self.alias:
                yield relationship_id, resolved.values.retrieval

    def owed(self) -> int:
        """How many texts are without their new vector."""
        return sum(_count(self, *each) for each in self.relationships())


def begin_move(companion: Companion, *, alias: str, embedder: Embedder, batch: int) -> Move:
    """Asks the embedder for one vector, so that a wrong key is noticed before anything begins. Raises ProviderError."""
    space = embedder.embed(["."], purpose="document").space
    return Move(companion, alias, embedder, space, batch)


def embed_beside(move: Move, done: Moved, *, told: Callable[[int], None]) -> None:
    """Make every vector of the new space that is not there; `told` hears how many texts each time.

    Raises ProviderError when the embedder fails for good, or for longer than TRIES.
    """
    for relationship_id, retrieval in move.relationships():
        after = Owner("", UUID(int=0), b"")
        while owners := _next(move, relationship_id, retrieval, after):
            after = owners[-1]
            _embed(move, relationship_id, _texts(relationship_id, owners), done)
            told(len(owners))


def change_over(move: Move, *, by: Actor) -> bool:
    """Have the companion's configuration name the new embedder; False if it does already."""
    config = Companion.objects.get(id=move.companion.id).config
    if (config.get("retrieval") or {}).get("embedder") == move.alias:
        return False
    write_companion_config(
        project_id=move.companion.project_id,
        companion_id=move.companion.id,
        config={"retrieval": {"embedder": move.alias}},
        merge=True,
        by=by,
    )
    return True


def drop_old(move: Move) -> int:
    """Take away the vectors that nobody compares any more. How many."""
    dropped = 0
    for relationship_id, _ in move.relationships():
        with transaction.atomic():
            if lock_config(relationship_id) is not None:
                dropped += drop_other_spaces(relationship_id, move.space)
    return dropped


def _embed(move: Move, relationship_id: UUID, texts: Sequence[OwedText], done: Moved) -> None:
    """Together; where they are refused for good, half by half."""
    if not texts:
        return
    try:
        embedded = _ask(move, texts)
    except ProviderError as error:
        if not error.permanent:
            raise
        if len(texts) == 1:
            done.refused += 1
            done.codes.add(error.code)
            return
        half = len(texts) // 2
        _embed(move, relationship_id, texts[:half], done)
        _embed(move, relationship_id, texts[half:], done)
        return
    with transaction.atomic():
        if lock_config(relationship_id) is not None:
            done.written += write_vectors(relationship_id, texts, embedded, now=timezone.now())


def _ask(move: Move, texts: Sequence[OwedText]) -> Embedded:
    for attempt in range(TRIES):
        try:
            return move.embedder.embed([text.text for text in texts], purpose="document")
        except ProviderError as error:
            if error.permanent or error.blocks or attempt + 1 == TRIES:
                raise
            time.sleep(retry_delay(attempt, error.retry_after))
    raise AssertionError("the last try either answers or raises")


def _texts(relationship_id: UUID, owners: Sequence[Owner]) -> list[OwedText]:
    with transaction.atomic():
        wanted = lock_config(relationship_id)
        return texts_of(wanted, owners, now=timezone.now()) if wanted else []


def _count(move: Move, relationship_id: UUID, retrieval: Retrieval) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, _params(move, relationship_id, retrieval))
        found: int = cursor.fetchone()[0]
    return found


def _next(move: Move, relationship_id: UUID, retrieval: Retrieval, after: Owner) -> list[Owner]:
    params = _params(move, relationship_id, retrieval)
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, {**params, "kind": after.kind, "owner": after.owner_id, "limit": move.batch})
        return [Owner(kind, owner_id, bytes(digest)) for kind, owner_id, digest in cursor.fetchall()]


def _params(move: Move, relationship_id: UUID, retrieval: Retrieval) -> dict[str, Any]:
    return {
        "relationship": relationship_id,
        "kinds": owing_kinds(retrieval),
        "model": move.space.model,
        "dimensions": move.space.dimensions,
        "nothing": _NOTHING,
    }
