"""Contexts: in process beside SELECT 1, over HTTP beside a view that does nothing, and beside requests that wait."""

import time
from collections.abc import Sequence
from datetime import datetime
from math import ceil
from uuid import UUID

from django.conf import settings

from benchmarks.client import Answers, Running
from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section, of_rounds
from benchmarks.seed import analyze, make_sample, numbered_texts, remember
from benchmarks.timing import cpu_during, cpu_seconds, p50, p95, time_calls
from config.postgresql.sessions import prepared_cursor
from context.facts import read_facts
from context.pipeline import build_context
from relationships.models import DEFAULT_SESSION, Relationship

ROUNDS, ARCHIVED = 5, 500  # in process
CONNECTIONS = (1, 8, 32)
TAIL_AT = 8  # the connections at which the goal of the p99 counts
WAITERS = 50
_ARRIVAL_SECONDS = 1.0  # for all of them to be in
# A session's query_start is when it last began a statement, so one that has not moved has asked nothing.
_ACTIVE_SINCE = """
SELECT count(*), count(*) FILTER (WHERE query_start > %s), clock_timestamp()
  FROM pg_stat_activity WHERE application_name = 'rapport-web'
"""
Slice = tuple[Answers, dict[str, float]]  # one load, and each service's CPU seconds meanwhile


def in_process(setup: Setup) -> Section:
    archived = make_sample()
    remember(archived, numbered_texts(ARCHIVED, start=1000))
    analyze()
    calls = setup.scale.calls // ROUNDS
    sample = setup.relationship
    timed = [
        time_calls(select_one, lambda: _read(sample), lambda: _build(sample), times=calls)
        for _ in range(ROUNDS)
    ]
    ones, reads, builds = map(list, zip(*timed, strict=True))
    # By themselves: a search leaves nothing of the plain context in the processor's caches.
    found = [time_calls(lambda: _build(archived), times=calls // 4)[0] for _ in range(ROUNDS)]
    return Section(
        "in_process",
        "A context in process",
        "SELECT 1, read_facts() and build_context() take turns on one connection, "
        f"{ROUNDS} rounds of {calls} calls each; then "
        f"build_context() with {ARCHIVED} archived entries, searched by text, {ROUNDS} rounds of {calls // 4}.",
        [
            of_rounds("SELECT 1, p50", list(map(p50, ones)), "ms"),
            of_rounds("SELECT 1, p95", list(map(p95, ones)), "ms"),
            of_rounds("read_facts(), p50", list(map(p50, reads)), "ms"),
            of_rounds("read_facts() / SELECT 1, p50", _ratios(reads, ones), "x", Goal(5)),
            of_rounds("build_context(), p50", list(map(p50, builds)), "ms", Goal(0.6)),
            of_rounds("build_context(), p95", list(map(p95, builds)), "ms"),
            of_rounds("build_context() / SELECT 1, p50", _ratios(builds, ones), "x", Goal(15)),
            of_rounds("with an archive, p50", list(map(p50, found)), "ms"),
            of_rounds("with an archive, p95", list(map(p95, found)), "ms"),
        ],
    )


def over_http(setup: Setup) -> Section:
    """`POST /context` beside a view that does nothing, slice by slice."""
    ok, context = setup.client.request("GET", "/v1/bench/ok"), setup.context_request()
    for request in (ok, context):  # every thread's connection, and its prepared statements
        setup.client.drive([request], connections=max(CONNECTIONS), seconds=setup.scale.slice_seconds)
    figures: list[Figure] = []
    for connections in CONNECTIONS:
        pairs = [
            (_slice(setup, ok, connections), _slice(setup, context, connections))
            for _ in range(setup.scale.rounds)
        ]
        figures += _figures(connections, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return Section(
        "over_http",
        "A context over HTTP",
        "POST /context of the sample through the production server, beside an authenticated APIView that returns "
        f"'ok'; they take turns, {setup.scale.rounds} slices of {setup.scale.slice_seconds:g} s each. "
        "The client's CPU is its share of one core.",
        figures,
    )


def waiting(setup: Setup) -> Section:
    """Turns that nobody reads, so that who waits for them waits to the end."""
    setup.service.stop_worker()
    trigger = {"trigger": {"mode": "explicit"}}
    relationships = setup.relationships("waiters", ingestion=trigger, count=WAITERS)
    watched = setup.scale.watched_seconds
    waiters = _start_waiters(setup, relationships, wait=watched + 2)
    began, cpu = _sessions(setup, None)[2], cpu_seconds(setup.service.processes()["web"])
    time.sleep(watched)
    sessions, active, _ = _sessions(setup, began)
    cpu = 100 * (cpu_seconds(setup.service.processes()["web"]) - cpu) / watched
    waited = waiters.finish().require(202).milliseconds
    pairs = [_with_and_without(setup, relationships) for _ in range(setup.scale.rounds)]
    return Section(
        "waiting",
        "Waiting for a turn with ?wait",
        f"{WAITERS} requests with ?wait, for turns that nobody reads: {settings.MAX_WAITERS} a process may wait "
        f"(RAPPORT_MAX_WAITERS), the others are answered at once. They are watched for {watched:g} s. "
        f"/context runs at {TAIL_AT} connections with and without them, in turn.",
        [
            Figure("requests that waited", sum(one > 1000 * watched for one in waited)),
            Figure("the web server's database sessions", sessions),
            Figure("sessions that ran a statement meanwhile", active, goal=Goal(0)),
            Figure("the web server's CPU meanwhile, of one core", cpu, "%"),
            of_rounds("/context, p99", [alone.p99 for alone, _ in pairs], "ms"),
            of_rounds("/context beside them, p99", [beside.p99 for _, beside in pairs], "ms"),
            of_rounds(
                "/context's p99 beside them / without",
                [beside.p99 / alone.p99 for alone, beside in pairs],
                "x",
                Goal(2),
            ),
        ],
    )


def _build(relationship: Relationship) -> None:
    build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message="What should I cook for tea?",
    )


def _read(relationship: Relationship) -> None:
    read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session=DEFAULT_SESSION)


def _ratios(ours: Sequence[list[float]], theirs: Sequence[list[float]]) -> list[float]:
    """Of the middle of each round."""
    return [p50(our) / p50(their) for our, their in zip(ours, theirs, strict=True)]


def select_one() -> None:
    with prepared_cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def _slice(setup: Setup, request: str, connections: int) -> Slice:
    def load() -> Answers:
        return setup.client.drive([request], connections=connections, seconds=setup.scale.slice_seconds)

    answers, used = cpu_during(setup.service.processes, load)
    return answers.require(200), used


def _figures(connections: int, ok: list[Slice], context: list[Slice]) -> list[Figure]:
    ours, theirs = [answers for answers, _ in context], [answers for answers, _ in ok]
    ratios = [our.per_second / their.per_second for our, their in zip(ours, theirs, strict=True)]
    clients = [100 * answers.cpu_seconds / answers.seconds for answers in (*theirs, *ours)]
    tail = Goal(5) if connections == TAIL_AT else None
    at = f"{connections} connection{'s' if connections > 1 else ''}: "
    return [
        of_rounds(f"{at}'ok'", [answers.per_second for answers in theirs], "requests/s"),
        of_rounds(f"{at}/context", [answers.per_second for answers in ours], "requests/s"),
        of_rounds(f"{at}/context / 'ok'", ratios, "x", Goal(1 / 3, at_most=False)),
        of_rounds(f"{at}/context, p50", [answers.p50 for answers in ours], "ms"),
        of_rounds(f"{at}/context, p99", [answers.p99 for answers in ours], "ms"),
        of_rounds(f"{at}/context, p99 / p50", [answers.p99 / answers.p50 for answers in ours], "x", tail),
        Figure(f"{at}'ok', the web server's CPU", _each(ok, "web"), "ms a request"),
        Figure(f"{at}/context, the web server's CPU", _each(context, "web"), "ms a request"),
        Figure(f"{at}/context, the database's CPU", _each(context, "database"), "ms a request"),
        of_rounds(f"{at}the client's CPU", clients, "%"),
    ]


def _each(slices: list[Slice], service: str) -> float:
    """CPU milliseconds a request."""
    requests = sum(len(answers.milliseconds) for answers, _ in slices)
    return 1000 * sum(used[service] for _, used in slices) / requests


def _start_waiters(setup: Setup, relationships: list[UUID], *, wait: float) -> Running:
    """Once they are all there."""
    requests = setup.turn_requests(relationships, count=WAITERS, wait=ceil(wait))
    running = setup.client.start(requests, connections=WAITERS, hold=True)
    time.sleep(_ARRIVAL_SECONDS)
    return running


def _sessions(setup: Setup, since: datetime | None) -> tuple[int, int, datetime]:
    """The web server's, those of them that ran a statement since then, and what time it is."""
    sessions, active, now = setup.service.ask(_ACTIVE_SINCE, since)[0]
    return sessions, active, now


def _with_and_without(setup: Setup, relationships: list[UUID]) -> tuple[Answers, Answers]:
    """/context alone and beside waiters, who stay until it is done."""
    seconds = setup.scale.slice_seconds

    def contexts() -> Answers:
        request = setup.context_request()
        return setup.client.drive([request], connections=TAIL_AT, seconds=seconds).require(200)

    alone = contexts()
    waiters = _start_waiters(setup, relationships, wait=seconds + 2)
    beside = contexts()
    waiters.finish().require(202)
    return alone, beside
