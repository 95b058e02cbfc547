"""What must hold when all is done: every accepted turn applied once, nothing left of who was erased, all invariants."""

from dataclasses import dataclass

from django.db.models import Count

from benchmarks.soak.people import People
from memory.models import EntryRevision, RevisionEvent
from memory.verification import Report, verify
from relationships.models import EndUser, Relationship, Turn, TurnState


@dataclass(frozen=True, slots=True)
class Reckoning:
    """How many turns were accepted from those who are still there, and what is wrong with how many."""

    accepted: int
    not_applied: int
    not_once: int
    erased: int
    left_of_erased: int
    verified: Report


def reckon(people: People) -> Reckoning:
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
        verified=verify(),
    )
