"""What must hold when all is done: every accepted turn applied once, nothing left of who was erased, all invariants."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count

from benchmarks.soak.people import People
from memory.models import EntryRevision, RevisionEvent
from memory.verification import Report, verify
from relationships.models import EndUser, Relationship, Turn, TurnState


@dataclass(frozen=True, slots=True)
class Reckoning:
    """How many turns were accepted from those who are still there, and what is wrong with how many.

    `verified`: while the worker ran, which what nobody takes care of needs to be seen. `at_rest`: after it was stopped.
    `tasks`: how many the worker was ever given.
    """

    accepted: int
    not_applied: int
    not_once: int
    erased: int
    left_of_erased: int
    verified: Report
    at_rest: Report
    tasks: int


def reckon(people: People, *, stop_worker: Callable[[], None]) -> Reckoning:
    """With a worker that is idle, and has to be stopped in the middle."""
    verified = verify()
    stop_worker()
    there = people.there
    accepted = [turn for person in there for turn in person.turns]
    owners = [person.relationship_id for person in there]
    turns = Turn.objects.filter(relationship_id__in=owners)
    applied = {str(id) for id in turns.filter(state=TurnState.APPLIED).values_list("id", flat=True)}
    # The model makes one entry of each message of the person, and each turn has one.
    adds = (
        EntryRevision.objects.filter(
            relationship_id__in=owners, event=RevisionEvent.ADD, turn_id__isnull=False
        )
        .values("turn_id")
        .annotate(count=Count("id"))
    )
    times = {str(row["turn_id"]): row["count"] for row in adds}
    erased = people.erased
    return Reckoning(
        accepted=len(accepted),
        not_applied=sum(turn not in applied for turn in accepted),
        not_once=sum(times.get(turn, 0) != 1 for turn in accepted),
        erased=len(erased),
        left_of_erased=Relationship.objects.filter(id__in=[one.relationship_id for one in erased]).count()
        + EndUser.objects.filter(id__in=[one.user_id for one in erased]).count(),
        verified=verified,
        at_rest=verify(),
        tasks=_tasks(),
    )


def _tasks() -> int:
    """Their rows are gone, their numbers are not."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_sequence_last_value(pg_get_serial_sequence('django_q_ormq', 'id')::regclass)"
        )
        return int(cursor.fetchone()[0] or 0)
