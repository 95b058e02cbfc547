from dataclasses import dataclass

from benchmarks.client import Answers
from benchmarks.figures import Figure, Goal, Section, of_rounds
from benchmarks.scene import Scene
from benchmarks.timing import spread
from benchmarks.usage import cpu_during

CONNECTIONS = (1, 8, 32)
TAIL_AT = 8  # the connections at which the goal of the p99 counts


@dataclass(frozen=True, slots=True)
class Slice:
    """One load, and the CPU seconds of the web server and the database meanwhile."""

    answers: Answers
    web: float
    database: float

    @property
    def client_share(self) -> float:
        return 100 * self.answers.cpu_seconds / self.answers.seconds


def measure(scene: Scene) -> Section:
    """`POST /context` beside a view that does nothing, slice by slice."""
    ok, context = scene.ok_request(), scene.context_request()
    for request in (ok, context):  # every thread's connection, and its prepared statements
        scene.client.drive([request], connections=max(CONNECTIONS), seconds=scene.scale.slice_seconds)
    figures: list[Figure] = []
    for connections in CONNECTIONS:
        pairs = [
            (_slice(scene, ok, connections), _slice(scene, context, connections))
            for _ in range(scene.scale.rounds)
        ]
        figures += _figures(connections, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return Section(
        "over_http",
        "A context over HTTP",
        "POST /context of the sample through the production server, beside an authenticated APIView that returns "
        f"'ok'; they take turns, {scene.scale.rounds} slices of {scene.scale.slice_seconds:g} s each. "
        "The client's CPU is its share of one core.",
        figures,
    )


def _slice(scene: Scene, request: str, connections: int) -> Slice:
    def load() -> Answers:
        return scene.client.drive([request], connections=connections, seconds=scene.scale.slice_seconds)

    answers, used = cpu_during(scene.house.processes, load)
    return Slice(answers.require(200), used["web"], used["database"])


def _figures(connections: int, ok: list[Slice], context: list[Slice]) -> list[Figure]:
    ours, theirs = [one.answers for one in context], [one.answers for one in ok]
    ratios = [our.per_second / their.per_second for our, their in zip(ours, theirs, strict=True)]
    tails = [answers.p99 / answers.p50 for answers in ours]
    at = f"{connections} connection{'s' if connections > 1 else ''}: "
    return [
        of_rounds(f"{at}'ok'", spread([answers.per_second for answers in theirs]), "requests/s"),
        of_rounds(f"{at}/context", spread([answers.per_second for answers in ours]), "requests/s"),
        of_rounds(f"{at}/context / 'ok'", spread(ratios), "x", Goal(1 / 3, at_most=False)),
        of_rounds(f"{at}/context, p50", spread([answers.p50 for answers in ours]), "ms"),
        of_rounds(f"{at}/context, p99", spread([answers.p99 for answers in ours]), "ms"),
        of_rounds(
            f"{at}/context, p99 / p50", spread(tails), "x", Goal(5) if connections == TAIL_AT else None
        ),
        Figure(f"{at}'ok', the web server's CPU", _each(ok, "web"), "ms a request"),
        Figure(f"{at}/context, the web server's CPU", _each(context, "web"), "ms a request"),
        Figure(f"{at}/context, the database's CPU", _each(context, "database"), "ms a request"),
        of_rounds(f"{at}the client's CPU", spread([one.client_share for one in (*ok, *context)]), "%"),
    ]


def _each(slices: list[Slice], service: str) -> float:
    """CPU milliseconds a request."""
    requests = sum(len(one.answers.milliseconds) for one in slices)
    return 1000 * sum(float(getattr(one, service)) for one in slices) / requests
