"""Passes a conversation to the services, and waits until it is remembered.

It uses the services and not REST, because it needs the database anyway, but not the web server. If a worker is running,
it reads the turns; otherwise they are read here, by the same code.
"""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db import transaction

from memory.ingestion.claim import claim_turns
from memory.ingestion.intake import accept_turn
from memory.ingestion.pipeline import Drained, ingest_claim
from relationships.models import Message, Relationship, Turn, TurnState
from relationships.services.sequence import lock_relationship
from relationships.services.turns import NewTurn
from worker.condition import read_condition
from worker.identity import worker_identity

LOOK_SECONDS = 0.25
_Moment = tuple[str, datetime]  # a session, and a time


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

    A turn is recognised by its session and time, and among those of the same minute by its words, then by its place, so
    the same file can be imported any number of times, and may grow.
    """
    turn_ids: dict[UUID, None] = {}  # in the order of the file
    new = 0
    told = defaultdict[_Moment, set[str]](set)
    for turn in turns:
        told[turn.session, turn.occurred_at].add(_words(message.content for message in turn.messages))
    for session, group in groupby(turns, key=lambda turn: turn.session):
        here = list(group)
        with transaction.atomic():
            lock_relationship(relationship.id)  # somebody else may be importing the same file
            known = _known(relationship.id, session, {turn.occurred_at for turn in here}, told, turn_ids)
            for turn in here:
                words = _words(message.content for message in turn.messages)
                if left := known[turn.occurred_at, words] or known[turn.occurred_at, None]:
                    turn_ids[left.popleft()] = None
                else:
                    new += 1
                    turn_ids[accept_turn(relationship=relationship, new=turn).turn.id] = None
    return HandedOver(tuple(turn_ids), new)


def _known(
    relationship_id: UUID,
    session: str,
    times: Collection[datetime],
    told: Mapping[_Moment, Container[str]],
    taken: Container[UUID],
) -> dict[tuple[datetime, str | None], deque[UUID]]:
    """The session's stored turns at these times that are not taken, in their order, by time and words; None instead of
    words that the file does not tell, as they were redacted here or changed in the file.
    """
    rows = Turn.objects.for_relationship(relationship_id).filter(session=session, occurred_at__in=times)
    stored = dict(rows.order_by("seq").values_list("id", "occurred_at"))
    said = defaultdict[UUID, list[str]](list)
    messages = (
        Message.objects.for_relationship(relationship_id).filter(turn_id__in=list(stored)).order_by("seq")
    )
    for turn_id, content in messages.values_list("turn_id", "content"):
        said[turn_id].append(content)
    known = defaultdict[tuple[datetime, str | None], deque[UUID]](deque)
    for turn_id, at in stored.items():
        words = _words(said[turn_id])
        if turn_id not in taken:
            known[at, words if words in told[session, at] else None].append(turn_id)
    return known


def _words(contents: Iterable[str]) -> str:
    return "\n".join(contents)


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
