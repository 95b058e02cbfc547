from uuid import UUID

from django.db import connection

from benchmarks.figures import Figure, Goal, Section, of_rounds
from benchmarks.house import until
from benchmarks.scene import Scene, make_relationships, turn_requests
from benchmarks.timing import spread
from relationships.models import Turn

RELATIONSHIPS = 50
GOAL = Goal(100, at_most=False)
INTAKE_CONNECTIONS = 8
# How the turns are read: a name, the model, the turns of a call.
WAYS = (
    ("in the worker's process", "instant", 8),
    ("in the worker's process", "instant", 1),
    ("over HTTP by the OpenAI SDK", "instant_http", 8),
    ("over HTTP by the OpenAI SDK", "instant_http", 1),
)
_SPAN = """
SELECT count(*), count(*) FILTER (WHERE state = 'applied'),
       extract(epoch FROM max(settled_at) - min(claimed_at))::float8,
       extract(epoch FROM max(settled_at) - min(recorded_at))::float8
  FROM relationships_turn WHERE relationship_id = ANY (%s)
"""


def measure(scene: Scene) -> Section:
    """Turns that wait when the worker starts, then turns that come in while it works."""
    figures: list[Figure] = []
    intake: list[float] = []
    for place, (where, provider, batch) in enumerate(WAYS):
        reading: dict[str, object] = {"provider": provider, "max_batch": batch}
        relationships = make_relationships(scene, f"waiting-{place}", ingestion=reading, count=RELATIONSHIPS)
        scene.house.stop_worker()
        intake.append(_take_in(scene, relationships))
        scene.house.start_worker(wait=False)
        rate = _rate(scene, relationships, since_accepted=False)
        figures.append(Figure(f"waiting turns, model {where}, {_by(batch)}", rate, "turns/s", None, GOAL))
    live = make_relationships(scene, "live", ingestion={"provider": "instant"}, count=RELATIONSHIPS)
    _take_in(scene, live)
    rate = _rate(scene, live, since_accepted=True)
    figures.append(Figure("turns while they come in, first accept to last applied", rate, "turns/s", None, GOAL))
    scene.house.stop_worker()
    return Section(
        "ingestion",
        "Turns, in and read",
        f"{scene.scale.turns} turns of two messages over {RELATIONSHIPS} relationships, by a model that answers at "
        "once with one new entry a turn. Waiting turns: from the first claim to the last one applied.",
        [
            of_rounds(f"POST /turns, {INTAKE_CONNECTIONS} connections, no worker", spread(intake), "requests/s"),
            *figures,
        ],
    )


def _take_in(scene: Scene, relationships: list[UUID]) -> float:
    count = scene.scale.turns
    requests = turn_requests(scene, relationships, count=count)
    return scene.client.drive(requests, connections=INTAKE_CONNECTIONS, count=count).require(202).per_second


def _rate(scene: Scene, relationships: list[UUID], *, since_accepted: bool) -> float:
    """Turns a second, once all of them are applied."""
    waiting = Turn.objects.filter(relationship_id__in=relationships, settled_at=None)
    until(lambda: not waiting.exists(), what="the last turn to be applied", seconds=300)
    with connection.cursor() as cursor:
        cursor.execute(_SPAN, [relationships])
        turns, applied, since_claim, since_accept = cursor.fetchone()
    assert turns == applied == scene.scale.turns, f"of {turns} turns {applied} were applied"
    return float(turns / (since_accept if since_accepted else since_claim))


def _by(batch: int) -> str:
    return "one at a time" if batch == 1 else f"up to {batch} a call"
