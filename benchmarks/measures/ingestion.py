from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import connection

from benchmarks.client import Answers
from benchmarks.figures import Figure, Goal, Section, of_rounds
from benchmarks.scene import Scene, everything_applied, make_relationships, turn_requests
from benchmarks.timing import spread
from benchmarks.usage import cpu_during
from memory.ingestion.configuration import Ingestion
from memory.services.turns import ingest_now

RELATIONSHIPS = 50
CONNECTIONS = 8
GOAL = Goal(100, at_most=False)
IN_PROCESS, OVER_HTTP = "instant", "instant_http"
MODELS = {IN_PROCESS: "model in process", OVER_HTTP: "model behind HTTP (OpenAI SDK)"}
DEFAULT_BATCH = Ingestion().max_batch
BATCHES = {DEFAULT_BATCH: f"{DEFAULT_BATCH} turns a call", 1: "1 turn a call"}
EXPLICIT = {"trigger": {"mode": "explicit"}}
_SPAN = """
SELECT count(*), count(*) FILTER (WHERE state = 'applied'),
       extract(epoch FROM max(settled_at) - min(claimed_at))::float8,
       extract(epoch FROM max(settled_at) - min(recorded_at))::float8
  FROM relationships_turn WHERE relationship_id = ANY (%s)
"""


def measure(scene: Scene) -> Section:
    """Turns that wait until all of them are there, then turns that are read while they come in."""
    scene.house.start_worker()
    _warm_up(scene)
    intake: list[Answers] = []
    figures: list[Figure] = []
    for model, told in MODELS.items():
        for batch, how in BATCHES.items():
            reading = {"provider": model, "max_batch": batch}
            relationships = _relationships(scene, f"wait-{model}-{batch}", **reading, **EXPLICIT)
            intake.append(_take_in(scene, relationships))
            goal = GOAL if batch == DEFAULT_BATCH else None
            figures += _read(scene, relationships, f"{told}, {how}", goal=goal)
    live = _relationships(scene, "live", provider=IN_PROCESS)
    _take_in(scene, live)
    _, since_accept = _spans(live, turns=scene.scale.turns)
    rate = scene.scale.turns / since_accept
    figures.append(Figure(f"as they come in, {MODELS[IN_PROCESS]}", rate, "turns/s", None, GOAL))
    return Section(
        "ingestion",
        "Turns, taken in and read",
        f"{scene.scale.turns} turns of two messages over {RELATIONSHIPS} relationships; the model answers at once "
        "with one new entry a turn. Waiting turns: from the first claim to the last one applied. As they come in: from "
        f"the first accepted to the last applied, while {CONNECTIONS} connections send them.",
        [
            of_rounds(
                f"POST /turns, {CONNECTIONS} connections, idle worker",
                spread([answers.per_second for answers in intake]),
                "requests/s",
            ),
            of_rounds("POST /turns, p50", spread([answers.p50 for answers in intake]), "ms"),
            *figures,
        ],
    )


def _read(scene: Scene, relationships: list[UUID], how: str, *, goal: Goal | None) -> list[Figure]:
    """Make the turns due that wait there, and see them read."""

    def work() -> tuple[float, float]:
        for relationship in relationships:
            ingest_now(relationship_id=relationship)
        return _spans(relationships, turns=scene.scale.turns)

    (since_claim, _), used = cpu_during(scene.house.processes, work)
    each = {service: 1000 * used[service] / scene.scale.turns for service in ("worker", "database")}
    return [
        Figure(f"waiting, {how}", scene.scale.turns / since_claim, "turns/s", None, goal),
        Figure("    the worker's CPU", each["worker"], "ms a turn"),
        Figure("    the database's CPU", each["database"], "ms a turn"),
    ]


def _relationships(scene: Scene, slug: str, **ingestion: Any) -> list[UUID]:
    return make_relationships(scene, slug.replace("_", "-"), ingestion=ingestion, count=RELATIONSHIPS)


def _warm_up(scene: Scene) -> None:
    """Have every process of the pool read by each model: the first call imports the vendor's SDK."""
    for model in MODELS:
        relationships = make_relationships(scene, f"warm-{model}", ingestion={"provider": model}, count=20)
        requests = turn_requests(scene, relationships, count=2 * len(relationships))
        scene.client.drive(requests, connections=CONNECTIONS, count=len(requests)).require(202)
        _spans(relationships, turns=len(requests))


def _take_in(scene: Scene, relationships: list[UUID]) -> Answers:
    requests = turn_requests(scene, relationships, count=scene.scale.turns)
    return scene.client.drive(requests, connections=CONNECTIONS, count=len(requests)).require(202)


def _spans(relationships: Iterable[UUID], *, turns: int) -> tuple[float, float]:
    """Seconds to the last one applied, once all of them are: from the first claim, and from the first accepted."""
    wanted = list(relationships)
    everything_applied()
    with connection.cursor() as cursor:
        cursor.execute(_SPAN, [wanted])
        stored, applied, since_claim, since_accept = cursor.fetchone()
    assert stored == applied == turns, f"of {turns} turns {stored} were stored and {applied} applied"
    return since_claim, since_accept
