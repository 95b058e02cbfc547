import time
from http.client import HTTPConnection
from typing import Any

import orjson

from benchmarks.figures import Figure, Goal, Section
from benchmarks.scene import Scene, everything_applied, make_relationships, turn_requests
from benchmarks.timing import percentile
from relationships.models import Turn

PAUSE_SECONDS = 0.06  # a turn is claimed and applied in less: each finds everybody idle
TURNS, WARM_UP = 120, 20


def measure(scene: Scene) -> Section:
    """One turn at a time, and nobody doing anything else."""
    relationships = make_relationships(scene, "latency", ingestion={"provider": "instant"}, count=10)
    scene.house.start_worker()
    requests = turn_requests(scene, relationships, count=TURNS + WARM_UP)
    _send_one_by_one(scene, requests[:WARM_UP])
    everything_applied()
    answered = _send_one_by_one(scene, requests[WARM_UP:])
    everything_applied()
    claims = Turn.objects.filter(id__in=list(answered)).values_list(
        "id", "recorded_at", "claimed_at", "settled_at"
    )
    rows: list[Any] = list(claims)
    accept = [(claimed - recorded).total_seconds() * 1000 for _, recorded, claimed, _ in rows]
    after = [(claimed.timestamp() - answered[str(turn)]) * 1000 for turn, _, claimed, _ in rows]
    whole = [(settled - recorded).total_seconds() * 1000 for _, recorded, _, settled in rows]
    return Section(
        "latency",
        "From a turn's acceptance to its reading",
        f"{TURNS} turns, one by one, {PAUSE_SECONDS * 1000:g} ms between them, everybody idle. Accepted is when the "
        "web server writes the turn down; the 202 is when the client has it, which may be after the claim.",
        [
            Figure("accepted to claimed, p50", percentile(accept, 0.5), "ms", None, Goal(15)),
            Figure("accepted to claimed, p95", percentile(accept, 0.95), "ms"),
            Figure("202 to claimed, p50", percentile(after, 0.5), "ms", None, Goal(15)),
            Figure("202 to claimed, p95", percentile(after, 0.95), "ms"),
            Figure("accepted to applied, instant model, p50", percentile(whole, 0.5), "ms"),
        ],
    )


def _send_one_by_one(scene: Scene, requests: list[str]) -> dict[str, float]:
    """When the answer about each turn was there, by its ID; seconds since 1970."""
    answered: dict[str, float] = {}
    connection = HTTPConnection(scene.client.host, scene.client.port)
    for request in requests:
        head, _, body = request.partition("\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
        connection.request("POST", head.split(" ")[1], body, headers)
        answer = connection.getresponse()
        told = answer.read()
        answered[orjson.loads(told)["id"]] = time.time()
        time.sleep(PAUSE_SECONDS)
    connection.close()
    return answered
