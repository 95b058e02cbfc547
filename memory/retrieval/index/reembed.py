"""Move a companion to another embedder: make new vectors beside the old ones, then change the configuration.

Until then searches use the old vectors. The rows show what is done, so a killed command can be run again and continues.
Meanwhile workers may embed new texts with the old embedder.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import lock_config
from memory.retrieval.index.gaps import count_without, next_without
from memory.retrieval.index.vectors import OwedText, Owner, drop_other_spaces, texts_of, write_vectors
from providers.embeddings.base import Embedded, Embedder, Space, embed_in_halves
from providers.embeddings.registry import embedder_of
from providers.errors import ProviderError
from relationships.configuration.cascade import valid_configuration
from relationships.configuration.merge_patch import merge_patch
from relationships.models import Companion, Relationship
from relationships.services.companions import write_companion_config
from relationships.services.sequence import lock_relationship
from web.actor import Actor
from worker.leases import retry_delay

TRIES = 6  # of a batch, before the move stops; if run again, it continues
RELATIONSHIPS_AT_ONCE = 500


@dataclass(slots=True)
class Moved:
    """What a move did: texts with a new vector, and texts refused for good, with the codes."""

    written: int = 0
    refused: int = 0
    codes: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Move:
    """A companion's move to the embedder `alias`, with vectors of `space`; `batch` texts per call."""

    companion: Companion
    alias: str
    embedder: Embedder
    space: Space
    batch: int

    def relationships(self) -> Iterator[tuple[UUID, Retrieval]]:
        """The relationships that will have this embedder (some may have their own), and their configuration then."""
        rows = Relationship.objects.filter(companion_id=self.companion.id).order_by("id")
        patched = merge_patch(self.companion.config, {"retrieval": {"embedder": self.alias}})
        project = self.companion.project.config
        for relationship_id, config in rows.values_list("id", "config").iterator(RELATIONSHIPS_AT_ONCE):
            # If it is invalid, nothing can be embedded there until somebody fixes it.
            values = valid_configuration((project, patched, config))
            if values and values.retrieval.embedder == self.alias:
                yield relationship_id, values.retrieval

    def owed(self) -> int:
        """Count the texts without a new vector."""
        return sum(count_without(*each, self.embedder) for each in self.relationships())


def begin_move(companion: Companion, *, alias: str, batch: int) -> Move:
    """Make a move. Asks the embedder for one vector, so that a wrong key is noticed at once. Raises ProviderError."""
    embedder = embedder_of(alias)
    assert embedder is not None, "an alias names an embedder"
    space = embedder.embed(["."], purpose="document").space
    return Move(companion, alias, embedder, space, batch)


def embed_beside(move: Move, done: Moved, *, told: Callable[[int], None]) -> None:
    """Make all missing vectors of the new space; `told` is called with the number of texts after each batch.

    Raises ProviderError if the embedder fails for good, or more than TRIES times.
    """
    for relationship_id, retrieval in move.relationships():
        after = Owner("", UUID(int=0), b"")
        while owners := next_without(
            relationship_id, retrieval, move.embedder, after=after, limit=move.batch
        ):
            after = owners[-1]
            _embed(move, relationship_id, _texts(relationship_id, owners), done)
            told(len(owners))


def change_over(move: Move, *, by: Actor) -> bool:
    """Set the new embedder in the companion's configuration; False if it has it already."""
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
    """Delete the vectors that are not used any more; return how many."""
    dropped = 0
    for relationship_id, _ in move.relationships():
        with transaction.atomic():
            if lock_relationship(relationship_id):
                dropped += drop_other_spaces(relationship_id, move.space)
    return dropped


def _embed(move: Move, relationship_id: UUID, texts: Sequence[OwedText], done: Moved) -> None:
    for places, answer in embed_in_halves([text.text for text in texts], partial(_ask, move.embedder)):
        if isinstance(answer, ProviderError):
            done.refused += 1
            done.codes.add(answer.code)
            continue
        some = texts[places.start : places.stop]
        with transaction.atomic():
            if lock_relationship(relationship_id):
                done.written += write_vectors(relationship_id, some, answer, now=timezone.now())


def _ask(embedder: Embedder, texts: Sequence[str]) -> Embedded:
    for attempt in range(TRIES - 1):
        try:
            return embedder.embed(texts, purpose="document")
        except ProviderError as error:
            if error.permanent or error.blocks:
                raise
            time.sleep(retry_delay(attempt, error.retry_after))
    return embedder.embed(texts, purpose="document")


def _texts(relationship_id: UUID, owners: Sequence[Owner]) -> list[OwedText]:
    with transaction.atomic():
        wanted = lock_config(relationship_id)
        return texts_of(wanted, owners, now=timezone.now()) if wanted else []
