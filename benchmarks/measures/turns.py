"""Turns: how many are accepted and read per second, and how soon one is read when the service is idle."""

import os
import time
from collections.abc import Iterable
from uuid import UUID

from django.conf import settings

from benchmarks.client import Answers
from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section, of_rounds
from benchmarks.seed import turn_body
from benchmarks.timing import cpu_during, memory_of, p50, p95
from memory.ingestion.configuration import Ingestion
from memory.ingestion.intake import ingest_now
from relationships.models import Turn

RELATIONSHIPS = 50
CONNECTIONS = 8
GOAL = Goal(100, at_most=False)
MODEL = "instant"
DEFAULT_BATCH = Ingestion().max_batch
DISTANT_GOALS = {0: 0.0, 1: 100.0, 2: 0.9 * 128 / 2}  # turns per second, by seconds of the model
ROUNDS_OF_READERS = 20  # turns of each reader; the pool's start of 3 s is included
PAUSE_SECONDS = 0.06  # longer than a turn takes, so that each finds the service idle
_SETTLE_SECONDS = 600.0
_SPAN = """
SELECT count(*), count(*) FILTER (WHERE state = 'applied'),
       extract(epoch FROM max(settled_at) - min(claimed_at))::float8,
       extract(epoch FROM max(settled_at) - min(recorded_at))::float8
  FROM relationships_turn WHERE relationship_id = ANY (%s)
"""


def ingestion(setup: Setup) -> Section:
    """Measure turns that wait until all were accepted, then turns that are read while others are accepted."""
    turns = setup.scale.turns
    setup.service.start_worker()
    warm = setup.readers_of("warm", count=20, provider=MODEL)  # to import the SDK
    _take_in(setup, warm, 40)
    _spans(setup, warm, turns=40)
    intake: list[float] = []
    figures: list[Figure] = []
    for batch, how in {DEFAULT_BATCH: f"{DEFAULT_BATCH} turns a call", 1: "1 turn a call"}.items():
        reading = {"provider": MODEL, "max_batch": batch, "trigger": {"mode": "explicit"}}
        waiting = setup.readers_of(f"wait-{batch}", count=RELATIONSHIPS, **reading)
        intake.append(_take_in(setup, waiting, turns).per_second)
        figures += _read(setup, waiting, how, goal=GOAL if batch == DEFAULT_BATCH else None)
    live = setup.readers_of("live", count=RELATIONSHIPS, provider=MODEL)
    _take_in(setup, live, turns)
    _, since_accept = _spans(setup, live, turns=turns)
    return Section(
        "Turns, taken in and read",
        f"{turns} turns of two messages over {RELATIONSHIPS} relationships; the model, behind HTTP, "
        "answers at once with one new entry a turn. Waiting turns: from the first claim to the last one applied. As "
        f"they come in: from the first accepted to the last applied, while {CONNECTIONS} connections send them.",
        [
            of_rounds(f"POST /turns, {CONNECTIONS} connections, idle worker", intake, "requests/s"),
            *figures,
            Figure("as they come in", turns / since_accept, "turns/s", GOAL),
        ],
    )


def distant(setup: Setup) -> Section:
    """Measure slow models, with as many calls at a time as there are readers."""
    readers = int(os.environ["RAPPORT_WORKERS"]) * settings.READERS
    count = min(3 * setup.scale.turns, ROUNDS_OF_READERS * readers)
    figures: list[Figure] = []
    allowed = 0.0
    for seconds, goal in DISTANT_GOALS.items():
        setup.service.stop_worker()
        reading = {"provider": MODEL, "model": f"after-{seconds}s", "max_batch": 1}
        relationships = setup.readers_of(f"distant-{seconds}", count=count, **reading)
        _take_in(setup, relationships, count)
        setup.service.start_worker()
        since_claim, _ = _spans(setup, relationships, turns=count)
        rate = count / since_claim
        allowed = allowed or rate
        least = Goal(min(goal, 0.8 * allowed), at_most=False) if seconds else None
        memory = memory_of(setup.service.processes()["worker"])
        figures += [
            Figure(f"a model of {seconds} s: read", rate, "turns/s", least),
            Figure("    the worker's memory", memory, "MB", Goal(350)),
        ]
    return Section(
        "A model that takes its time",
        f"One worker of default settings, {readers} readers; turns of as many people wait, one a call. From the first "
        "claim to the last one applied, the pool's start with it. What the CPU allows is the rate of a model that "
        "answers at once; the goal is four fifths of it, where that is less than the readers could wait for.",
        figures,
    )


def latency(setup: Setup) -> Section:
    """Measure one turn at a time, while nothing else happens."""
    turns = min(120, setup.scale.turns)
    relationships = setup.readers_of("latency", count=10, provider=MODEL)
    setup.service.start_worker()
    _send_one_by_one(setup, relationships, range(20))
    setup.service.settle(_SETTLE_SECONDS)
    answered = _send_one_by_one(setup, relationships, range(20, 20 + turns))
    setup.service.settle(_SETTLE_SECONDS)
    accept, after, whole = list[float](), list[float](), list[float]()
    for turn in Turn.objects.filter(id__in=list(answered)):
        assert turn.claimed_at is not None
        assert turn.settled_at is not None
        accept.append((turn.claimed_at - turn.recorded_at).total_seconds() * 1000)
        after.append((turn.claimed_at.timestamp() - answered[str(turn.id)]) * 1000)
        whole.append((turn.settled_at - turn.recorded_at).total_seconds() * 1000)
    return Section(
        "From a turn's acceptance to its reading",
        f"{turns} turns, one by one, {PAUSE_SECONDS * 1000:g} ms between them, everybody idle. Accepted is when the "
        "web server writes the turn down; the 202 is when the client has it, which may be after the claim.",
        [
            Figure("accepted to claimed, p50", p50(accept), "ms", Goal(15)),
            Figure("accepted to claimed, p95", p95(accept), "ms"),
            Figure("202 to claimed, p50", p50(after), "ms", Goal(15)),
            Figure("202 to claimed, p95", p95(after), "ms"),
            Figure("accepted to applied, instant model, p50", p50(whole), "ms"),
        ],
    )


def _take_in(setup: Setup, relationships: list[UUID], count: int) -> Answers:
    requests = setup.turn_requests(relationships, count=count)
    return setup.client.drive(requests, connections=CONNECTIONS, count=count).require(202)


def _read(setup: Setup, relationships: list[UUID], how: str, *, goal: Goal | None) -> list[Figure]:
    """Make the waiting turns due, and measure how they are read."""
    turns = setup.scale.turns

    def work() -> float:
        for relationship in relationships:
            ingest_now(relationship_id=relationship)
        return _spans(setup, relationships, turns=turns)[0]

    since_claim, used = cpu_during(setup.service.processes, work)
    return [
        Figure(f"waiting, {how}", turns / since_claim, "turns/s", goal),
        Figure("    the worker's CPU", 1000 * used["worker"] / turns, "ms a turn"),
        Figure("    the database's CPU", 1000 * used["database"] / turns, "ms a turn"),
    ]


def _spans(setup: Setup, relationships: Iterable[UUID], *, turns: int) -> tuple[float, float]:
    """Wait until all are applied. Return the seconds since the first claim, and since the first acceptance."""
    setup.service.settle(_SETTLE_SECONDS)
    stored, applied, since_claim, since_accept = setup.service.ask(_SPAN, list(relationships))[0]
    assert stored == applied == turns, f"of {turns} turns {stored} were stored and {applied} applied"
    return since_claim, since_accept


def _send_one_by_one(setup: Setup, relationships: list[UUID], numbers: range) -> dict[str, float]:
    """Send turns with a pause after each. Return when each was answered, in seconds since 1970, by the turn's ID."""
    answered: dict[str, float] = {}
    for number in numbers:
        path = f"/v1/relationships/{relationships[number % len(relationships)]}/turns"
        answer = setup.client.ask("POST", path, turn_body(number))
        answered[answer["id"]] = time.time()
        time.sleep(PAUSE_SECONDS)
    return answered
