from benchmarks.client import Answers
from benchmarks.figures import Figure, Goal, Section, of_rounds
from benchmarks.scene import Scene
from benchmarks.timing import spread

CONNECTIONS = (1, 8, 32)
TAIL_AT = 8  # the connections at which the goal of the p99 counts


def measure(scene: Scene) -> Section:
    """`POST /context` beside a view that does nothing, slice by slice."""
    ok, context = scene.ok_request(), scene.context_request()
    for request in (ok, context):  # every thread's connection, and its prepared statements
        scene.client.drive([request], connections=max(CONNECTIONS), seconds=scene.scale.slice_seconds)
    figures: list[Figure] = []
    for connections in CONNECTIONS:
        pairs = [_pair(scene, ok, context, connections) for _ in range(scene.scale.rounds)]
        figures += _figures(connections, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return Section(
        "over_http",
        "A context over HTTP",
        "POST /context of the sample through the production server, beside an authenticated APIView that returns "
        f"'ok'; they take turns, {scene.scale.rounds} slices of {scene.scale.slice_seconds:g} s each. "
        "The client's CPU is its share of one core.",
        figures,
    )


def _pair(scene: Scene, ok: str, context: str, connections: int) -> tuple[Answers, Answers]:
    first, second = (
        scene.client.drive([request], connections=connections, seconds=scene.scale.slice_seconds)
        for request in (ok, context)
    )
    return first.require(200), second.require(200)


def _figures(connections: int, ok: list[Answers], context: list[Answers]) -> list[Figure]:
    ratios = [ours.per_second / theirs.per_second for ours, theirs in zip(context, ok, strict=True)]
    tails = [answers.p99 / answers.p50 for answers in context]
    at = f"{connections} connection{'s' if connections > 1 else ''}: "
    return [
        of_rounds(f"{at}'ok'", spread([answers.per_second for answers in ok]), "requests/s"),
        of_rounds(f"{at}/context", spread([answers.per_second for answers in context]), "requests/s"),
        of_rounds(f"{at}/context / 'ok'", spread(ratios), "x", Goal(1 / 3, at_most=False)),
        of_rounds(f"{at}/context, p50", spread([answers.p50 for answers in context]), "ms"),
        of_rounds(f"{at}/context, p99", spread([answers.p99 for answers in context]), "ms"),
        of_rounds(f"{at}/context, p99 / p50", spread(tails), "x", Goal(5) if connections == TAIL_AT else None),
        of_rounds(
            f"{at}client's CPU", spread([100 * one.cpu_seconds / one.seconds for one in (*ok, *context)]), "%"
        ),
    ]
