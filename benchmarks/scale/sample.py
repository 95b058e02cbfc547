"""Holds some of what was seeded against what the services promise: all of a million would take half an hour."""

from benchmarks.scale.place import Place, drawn
from memory.verification import verify

SAMPLE = 100  # relationships


def check_sample(place: Place) -> None:
    """Of those that have their history. Raises AssertionError with what is wrong."""
    candidates = place.with_history
    for id in drawn(candidates, min(SAMPLE, len(candidates)), seed=0):
        report = verify(relationship_id=id)
        assert report.holds, "; ".join(report.lines())
