"""Passes a conversation to the services, and waits until it is remembered.

It uses the services and not REST, because it needs the database anyway, but not the web server. If a worker is running,
it reads the turns; otherwise they are read here, by the same code.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db import transaction

from memory.ingestion.claim import claim_turns
from memory.ingestion.intake import accept_turn
from memory.ingestion.pipeline import Drained, ingest_claim
from relationships.models import Relationship, Turn, TurnState
from relationships.services.sequence import lock_relationship
from relationships.services.turns import NewTurn
from worker.condition import read_condition
from worker.identity import worker_identity

LOOK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The IDs of all turns of a file, and how many of them are new."""

    turn_ids: tuple[UUID, ...]
    new: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How many turns were read. `waiting`: turns that wait for the configuration's trigger, so nobody works on them.

    `trouble`: the error of a turn that is being retried.
    """

    applied: int
    skipped: int
    failed: int
    waiting: int
    open: int
    trouble: str


def hand_over(*, relationship: Relationship, turns: Sequence[NewTurn]) -> HandedOver:
    """Store new turns, one session per transaction.

    A turn is recognised by its session and time, and by its place among those of the same minute, so the same file can
    be imported any number of times.
    """
    turn_ids: list[UUID] = []
    new = 0
    seen: Counter[tuple[str, datetime]] = Counter()
    for session, group in groupby(turns, key=lambda turn: turn.session):
        with transaction.atomic():
            lock_relationship(relationship.id)  # somebody else may be importing the same file
            rows = Turn.objects.for_relationship(relationship.id).filter(session=session)
            known: dict[datetime, list[UUID]] = defaultdict(list)
            for at, turn_id in rows.order_by("seq").values_list("occurred_at", "id"):
                known[at].append(turn_id)
            for turn in group:
                place = seen[session, turn.occurred_at]
                seen[session, turn.occurred_at] += 1
                if place < len(known[turn.occurred_at]):
                    turn_ids.append(known[turn.occurred_at][place])
                else:
                    new += 1
                    turn_ids.append(accept_turn(relationship=relationship, new=turn).turn.id)
    return HandedOver(tuple(turn_ids), new)


def see_through(
    *, relationship_id: UUID, turn_ids: Iterable[UUID], look: Callable[[Progress], None]
) -> Progress:
    """Wait until each turn is settled or waits for its trigger. Calls `look` with the progress meanwhile."""
    ids = list(turn_ids)
    while True:
        progress = _progress(relationship_id, ids)
        look(progress)
        if not progress.open:
            return progress
        if worker_lives() or not _read_some(relationship_id):
            time.sleep(LOOK_SECONDS)


def worker_lives() -> bool:
    """Return whether a worker on some machine has sent a heartbeat lately."""
    return any(worker.alive for worker in read_condition().workers)


def _read_some(relationship_id: UUID) -> bool:
    """Read the next batch in this process. Returns False if there is none at the moment."""
    claim = claim_turns(relationship_id=relationship_id, worker=worker_identity())
    return claim is not None and ingest_claim(claim, Drained())


def _progress(relationship_id: UUID, turn_ids: Sequence[UUID]) -> Progress:
    rows = Turn.objects.for_relationship(relationship_id).filter(id__in=turn_ids).order_by("seq")
    told = list(rows.values_list("state", "due_at", "error"))
    untriggered = sum(state == TurnState.PENDING and due_at is None for state, due_at, _ in told)
    states = Counter(state for state, _, _ in told)
    open_states = (TurnState.PENDING, TurnState.PROCESSING)
    return Progress(
        applied=states[TurnState.APPLIED],
        skipped=states[TurnState.SKIPPED],
        failed=states[TurnState.FAILED],
        waiting=untriggered,
        open=sum(states[state] for state in open_states) - untriggered,
        trouble=next((error for state, _, error in told if error and state in open_states), ""),
    )
