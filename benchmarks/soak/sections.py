"""What came of a soak, as figures. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.report import Figure, Goal, Section
from benchmarks.soak.pace import LATE_SECONDS, Done, Sample
from benchmarks.timing import percentile

if TYPE_CHECKING:
    from benchmarks.soak.run import Reckoning

FLAT_LATENCY, FLAT_TAIL, FLAT_MEMORY = 1.25, 1.5, 1.1
_ENOUGH = 800  # calls: with fewer, ten or less of a quarter are beyond its p95, which says nothing
WATCHED = ("fetch_context", "hand_over_turn", "search_entries", "search_messages", "edit_entry")
_NONE = Goal(0)
Points = Sequence[tuple[float, float]]  # seconds from the beginning, value


class Steadiness(NamedTuple):
    first: float
    last: float

    @property
    def ratio(self) -> float:
        return self.last / self.first if self.first else 1.0


def steadiness(points: Points, *, share: float = 0.5) -> Steadiness:
    """Of the values' percentile `share` in each quarter of the time. At least two points, not all at once."""
    begin, end = min(at for at, _ in points), max(at for at, _ in points)
    quarter = (end - begin) / 4
    first = [value for at, value in points if at <= begin + quarter]
    last = [value for at, value in points if at >= end - quarter]
    return Steadiness(percentile(first, share), percentile(last, share))


def requests(done: Sequence[Done], *, warm_up: Sequence[Done] = (), seconds: float, rate: float) -> Section:
    """Of `warm_up` only the errors count."""
    errors = [one for one in (*warm_up, *done) if one.error]
    late = sum(one.late > LATE_SECONDS for one in done)
    counted = Counter(one.action for one in done)
    figures = [
        Figure("actions", len(done)),
        Figure("actions a second", len(done) / seconds, "/s"),
        Figure("errors", len(errors), goal=_NONE),
        Figure(f"left more than {LATE_SECONDS * 1000:g} ms late", late, goal=Goal(len(done) / 1000)),
        *(Figure(name, count) for name, count in counted.most_common()),
    ]
    told = Counter(one.error for one in errors).most_common(5)
    how = f"{rate:g} actions a second for {seconds / 60:g} minutes, each at its own time whatever became of the others."
    return Section(
        "requests", "Requests", " ".join([how, *(f"{count} x {error}" for error, count in told)]), figures
    )


def latency(done: Sequence[Done]) -> Section:
    section = Section(
        "latency",
        "Latency, the first quarter beside the last",
        "Over HTTP, as the client sees it.",
    )
    for action in WATCHED:
        points = _times(done, action)
        if len({at for at, _ in points}) < 2:
            continue
        for share, name in ((0.5, "p50"), (0.95, "p95")):
            steady = steadiness(points, share=share)
            most = FLAT_LATENCY if share == 0.5 else FLAT_TAIL
            goal = Goal(most) if share == 0.5 or len(points) >= _ENOUGH else None
            section.figures.append(Figure(f"{action}, {name}: first quarter", steady.first, "ms"))
            section.figures.append(Figure(f"{action}, {name}: last quarter", steady.last, "ms"))
            section.figures.append(Figure(f"{action}, {name}: last / first", steady.ratio, "x", None, goal))
    return section


def memory(samples: Sequence[Sample]) -> Section:
    section = Section(
        "memory",
        "Memory, the first quarter beside the last",
        "Of each service's processes together, shared pages split. The database's cache of 256 MB fills as it reads, "
        "so it has no goal.",
        [
            Figure(
                "processes that ended, readers apart",
                len(samples[0].lasting - samples[-1].lasting),
                goal=_NONE,
            )
        ],
    )
    each = {name: [(sample.at, sample.memory[name]) for sample in samples] for name in samples[0].memory}
    for name, points in each.items():
        steady = steadiness(points)
        goal = Goal(FLAT_MEMORY) if name != "database" else None
        section.figures += [
            Figure(f"{name}: first quarter", steady.first, "MB"),
            Figure(f"{name}: last quarter", steady.last, "MB"),
            Figure(f"{name}: last / first", steady.ratio, "x", None, goal),
        ]
    return section


def afterwards(reckoning: "Reckoning") -> Section:
    verified = reckoning.verified
    how = "Turns are those of people who are still there; then `manage.py verify`'s invariants over the whole database."
    figures = [
        Figure("turns accepted", reckoning.accepted),
        Figure("accepted turns that are not applied", reckoning.not_applied, goal=_NONE),
        Figure("accepted turns that are not applied exactly once", reckoning.not_once, goal=_NONE),
        Figure("people erased", reckoning.erased),
        Figure("rows left of them", reckoning.left_of_erased, goal=_NONE),
        Figure("relationships verified", verified.relationships),
        Figure("invariants", verified.invariants),
        Figure("problems found", verified.found, goal=_NONE),
        Figure("problems found with the worker stopped", reckoning.at_rest.found, goal=_NONE),
    ]
    remarks = [line for report in (verified, reckoning.at_rest) if report.found for line in report.lines()]
    return Section("afterwards", "Afterwards", how, figures, remarks=remarks)


def _times(done: Sequence[Done], action: str) -> Points:
    return [(one.at, one.milliseconds) for one in done if one.action == action and not one.error]
