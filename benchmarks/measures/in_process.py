from benchmarks.figures import Goal, Section, of_rounds
from benchmarks.sample import fill_archive, make_relationship
from benchmarks.scene import Scene
from benchmarks.timing import percentile, spread, time_calls
from context.pipeline import build_context
from relationships.database import prepared_cursor
from relationships.models import Relationship

ROUNDS = 5
ARCHIVED = 500


def measure(scene: Scene) -> Section:
    archived = make_relationship()
    fill_archive(archived, ARCHIVED)

    def select_one() -> None:
        with prepared_cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()

    def build() -> None:
        _build(scene.relationship)

    def retrieve() -> None:
        _build(archived)

    calls = scene.scale.calls // ROUNDS
    rounds = [time_calls(select_one, build, times=calls) for _ in range(ROUNDS)]
    ones, builds = [one for one, _ in rounds], [built for _, built in rounds]
    # By themselves: a search leaves nothing of the plain context in the processor's caches.
    found = [time_calls(retrieve, times=calls // 4)[0] for _ in range(ROUNDS)]
    p50 = [percentile(times, 0.5) for times in builds]
    ratios = [ours / percentile(times, 0.5) for ours, times in zip(p50, ones, strict=True)]
    return Section(
        "in_process",
        "A context in process",
        f"SELECT 1 and build_context() take turns on one connection, {ROUNDS} rounds of {calls} calls each; then "
        f"build_context() with {ARCHIVED} archived entries, searched by text, {ROUNDS} rounds of {calls // 4}.",
        [
            of_rounds("SELECT 1, p50", spread([percentile(times, 0.5) for times in ones]), "ms"),
            of_rounds("SELECT 1, p95", spread([percentile(times, 0.95) for times in ones]), "ms"),
            of_rounds("build_context(), p50", spread(p50), "ms", Goal(0.6)),
            of_rounds("build_context(), p95", spread([percentile(times, 0.95) for times in builds]), "ms"),
            of_rounds("build_context() / SELECT 1, p50", spread(ratios), "x", Goal(15)),
            of_rounds("with an archive, p50", spread([percentile(times, 0.5) for times in found]), "ms"),
            of_rounds("with an archive, p95", spread([percentile(times, 0.95) for times in found]), "ms"),
        ],
    )


def _build(relationship: Relationship) -> None:
    build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message="What should I cook for tea?",
    )
