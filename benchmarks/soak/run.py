"""One soak: the service is used at a steady rate, and looked over when all is done."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from django.db.models import Count

from benchmarks.report import Section
from benchmarks.seed import client_of, make_companion
from benchmarks.service import Service
from benchmarks.soak import sections
from benchmarks.soak.actions import COMPANION, People, arrive
from benchmarks.soak.pace import SAMPLED_EVERY_SECONDS, Pace, Watch
from memory.models import EntryRevision, RevisionEvent
from relationships.models import EndUser, Relationship, Turn, TurnState
from upkeep.verification import Report, verify

WARM_UP_SECONDS = 20.0  # connections, prepared statements, and what Python loads at first use: not counted
_CONFIG = {
    "ingestion": {"provider": "instant"},
    "retrieval": {"embedder": "offline", "embed_messages": True},
}


@dataclass(frozen=True, slots=True)
class Reckoning:
    """How many turns were accepted from those who are still there, and what is wrong with how many.

    `verified`: while the worker ran, which what nobody takes care of needs to be seen. `at_rest`: after it was stopped.
    """

    accepted: int
    not_applied: int
    not_once: int
    erased: int
    left_of_erased: int
    verified: Report
    at_rest: Report


def soak(
    service: Service, *, seconds: float, rate: float, people: int, say: Callable[[str], None]
) -> list[Section]:
    companion = make_companion(COMPANION, _CONFIG)
    client = client_of(companion.project_id, service.port)
    service.start_worker()
    there = People()
    say(f"{people} people arrive")
    for _ in range(people):
        arrive(client, there, Random(0))
    say("warming up")
    warm_up = Pace(rate=rate, seconds=min(seconds, WARM_UP_SECONDS), people=there, client=client).run()
    say("soaking")
    with Watch(service.processes, every=min(SAMPLED_EVERY_SECONDS, seconds / 5)) as watch:
        done = Pace(rate=rate, seconds=seconds, people=there, client=client).run()
    say("looking it over")
    with suppress(TimeoutError):  # what is still owed then is told as not applied
        service.settle(600)
    reckoning = reckon(there, stop_worker=service.stop_worker)
    return [
        sections.requests(done, warm_up=warm_up, seconds=seconds, rate=rate),
        sections.latency(done),
        sections.memory(watch.samples),
        sections.afterwards(reckoning),
    ]


def reckon(people: People, *, stop_worker: Callable[[], None]) -> Reckoning:
    """What must hold: every accepted turn applied once, nothing left of who was erased, all invariants.

    With a worker that is idle, and has to be stopped in the middle.
    """
    verified = verify()
    stop_worker()
    there, erased = people.there, people.erased
    accepted = [turn for person in there for turn in person.turns]
    owners = [person.relationship_id for person in there]
    turns = Turn.objects.filter(relationship_id__in=owners)
    applied = {str(id) for id in turns.filter(state=TurnState.APPLIED).values_list("id", flat=True)}
    # The model makes one entry of each message of the person, and each turn has one.
    adds = EntryRevision.objects.filter(
        relationship_id__in=owners, event=RevisionEvent.ADD, turn_id__isnull=False
    )
    times = {str(row["turn_id"]): row["count"] for row in adds.values("turn_id").annotate(count=Count("id"))}
    return Reckoning(
        accepted=len(accepted),
        not_applied=sum(turn not in applied for turn in accepted),
        not_once=sum(times.get(turn, 0) != 1 for turn in accepted),
        erased=len(erased),
        left_of_erased=Relationship.objects.filter(id__in=[one.relationship_id for one in erased]).count()
        + EndUser.objects.filter(id__in=[one.user_id for one in erased]).count(),
        verified=verified,
        at_rest=verify(),
    )
