from benchmarks.figures import Goal, Section, of_rounds
from benchmarks.scene import Scene
from benchmarks.timing import percentile, spread, time_calls
from context.pipeline import build_context
from relationships.prepared import prepared_cursor

ROUNDS = 5


def measure(scene: Scene) -> Section:
    project_id, relationship_id = scene.relationship.project_id, scene.relationship.id

    def select_one() -> None:
        with prepared_cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()

    def build() -> None:
        build_context(project_id=project_id, relationship_id=relationship_id, message="What should I cook?")

    rounds = [time_calls(select_one, build, times=scene.scale.calls // ROUNDS) for _ in range(ROUNDS)]
    ones, builds = [one for one, _ in rounds], [built for _, built in rounds]
    p50 = [percentile(times, 0.5) for times in builds]
    ratios = [ours / percentile(times, 0.5) for ours, times in zip(p50, ones, strict=True)]
    return Section(
        "in_process",
        "A context in process",
        f"SELECT 1 and build_context() take turns on one connection, {ROUNDS} rounds of "
        f"{scene.scale.calls // ROUNDS} calls each.",
        [
            of_rounds("SELECT 1, p50", spread([percentile(times, 0.5) for times in ones]), "ms"),
            of_rounds("SELECT 1, p95", spread([percentile(times, 0.95) for times in ones]), "ms"),
            of_rounds("build_context(), p50", spread(p50), "ms", Goal(0.6)),
            of_rounds("build_context(), p95", spread([percentile(times, 0.95) for times in builds]), "ms"),
            of_rounds("build_context() / SELECT 1, p50", spread(ratios), "x", Goal(15)),
        ],
    )
