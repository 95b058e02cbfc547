import time
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection

from benchmarks.client import Answers, Running
from benchmarks.figures import Figure, Goal, Section, of_rounds
from benchmarks.scene import Scene, make_relationships, turn_requests
from benchmarks.timing import spread
from benchmarks.usage import cpu_seconds

WAITERS = 50
CONNECTIONS = 8
WATCHED_SECONDS = 4.0
_ARRIVAL_SECONDS = 1.0  # for all of them to be in
# A session's query_start is when it last began a statement, so one that has not moved has asked nothing.
_ACTIVE_SINCE = """
SELECT count(*), count(*) FILTER (WHERE query_start > %s), clock_timestamp()
  FROM pg_stat_activity WHERE application_name = 'rapport-web'
"""


def measure(scene: Scene) -> Section:
    """Turns that nobody reads, so that who waits for them waits to the end."""
    scene.house.stop_worker()
    trigger = {"trigger": {"mode": "explicit"}}
    relationships = make_relationships(scene, "waiters", ingestion=trigger, count=WAITERS)
    waiters = _start_waiters(scene, relationships, wait=WATCHED_SECONDS + 2)
    sessions, active, cpu = _watch(scene)
    waited = waiters.finish().require(202).milliseconds
    pairs = [_pair(scene, relationships) for _ in range(scene.scale.rounds)]
    ratios = [beside.p99 / alone.p99 for alone, beside in pairs]
    return Section(
        "waiting",
        "Waiting for a turn with ?wait",
        f"{WAITERS} requests with ?wait, for turns that nobody reads: {settings.MAX_WAITERS} a process may wait "
        f"(RAPPORT_MAX_WAITERS), the others are answered at once. They are watched for {WATCHED_SECONDS:g} s. "
        f"/context runs at {CONNECTIONS} connections with and without them, in turn.",
        [
            Figure("requests that waited", sum(one > 1000 * WATCHED_SECONDS for one in waited)),
            Figure("the web server's database sessions", sessions),
            Figure("sessions that ran a statement meanwhile", active, goal=Goal(0)),
            Figure("the web server's CPU meanwhile, of one core", cpu, "%"),
            of_rounds("/context, p99", spread([alone.p99 for alone, _ in pairs]), "ms"),
            of_rounds("/context beside them, p99", spread([beside.p99 for _, beside in pairs]), "ms"),
            of_rounds("/context's p99 beside them / without", spread(ratios), "x", Goal(2)),
        ],
    )


def _start_waiters(scene: Scene, relationships: list[UUID], *, wait: float) -> Running:
    """Once they are all there."""
    requests = turn_requests(scene, relationships, count=WAITERS, wait=wait)
    running = scene.client.start(requests, connections=WAITERS, hold=True)
    time.sleep(_ARRIVAL_SECONDS)
    return running


def _watch(scene: Scene) -> tuple[int, int, float]:
    """The web server's sessions, those of them that ran a statement meanwhile, and its CPU in percent."""
    began, cpu = _sessions(None)[2], cpu_seconds(scene.house.processes()["web"])
    time.sleep(WATCHED_SECONDS)
    sessions, active, _ = _sessions(began)
    used = cpu_seconds(scene.house.processes()["web"]) - cpu
    return sessions, active, 100 * used / WATCHED_SECONDS


def _sessions(since: datetime | None) -> tuple[int, int, datetime]:
    with connection.cursor() as cursor:
        cursor.execute(_ACTIVE_SINCE, [since])
        counted: tuple[int, int, datetime] = cursor.fetchone()
    return counted


def _pair(scene: Scene, relationships: list[UUID]) -> tuple[Answers, Answers]:
    """/context alone and beside waiters, who stay until it is done."""
    seconds = scene.scale.slice_seconds
    alone = _contexts(scene, seconds)
    waiters = _start_waiters(scene, relationships, wait=seconds + 2)
    beside = _contexts(scene, seconds)
    waiters.finish().require(202)
    return alone, beside


def _contexts(scene: Scene, seconds: float) -> Answers:
    request = scene.context_request()
    return scene.client.drive([request], connections=CONNECTIONS, seconds=seconds).require(200)
