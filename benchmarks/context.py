"""How long a context takes in process, beside the round trip of `SELECT 1`: `python -m benchmarks.context [rounds]`.

The sample is made in a transaction that is rolled back.
"""

import sys

from django.db import transaction

from benchmarks.sample import make_relationship
from benchmarks.timing import Timing, time_calls
from config.embedded_postgres import start_if_used
from context.pipeline import build_context
from relationships.models import Relationship
from relationships.prepared import prepared_cursor

GOAL_MILLISECONDS, GOAL_RATIO = 0.6, 15.0


def measure_context(relationship: Relationship, *, rounds: int) -> list[Timing]:
    """`SELECT 1` and `build_context()`, on one connection."""
    project_id, relationship_id = relationship.project_id, relationship.id

    def select_one() -> None:
        with prepared_cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()

    def build() -> None:
        build_context(project_id=project_id, relationship_id=relationship_id, message="What should I cook?")

    return time_calls(select_one, build, rounds=rounds)


def main(rounds: int) -> None:
    start_if_used()
    with transaction.atomic():
        select_one, build = measure_context(make_relationship(), rounds=rounds)
        transaction.set_rollback(True)
    ratio = build.p50 / select_one.p50
    met = build.p50 <= GOAL_MILLISECONDS and ratio <= GOAL_RATIO
    print(f"SELECT 1         p50 {select_one.p50:.3f} ms   p99 {select_one.p99:.3f} ms")
    print(f"build_context()  p50 {build.p50:.3f} ms   p99 {build.p99:.3f} ms   {ratio:.1f} x SELECT 1")
    print(
        f"goal: p50 <= {GOAL_MILLISECONDS} ms and <= {GOAL_RATIO:g} x SELECT 1: {'met' if met else 'MISSED'}"
    )


if __name__ == "__main__":
    main(rounds=int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
