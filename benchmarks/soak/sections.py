"""What came of a soak, as figures and pictures. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import linear_regression, median
from typing import TYPE_CHECKING, NamedTuple

from django_q.conf import Conf

from benchmarks.charts import Line, Panel
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
    """`slope`: of a straight line through all points, in the value's unit an hour."""

    first: float
    last: float
    slope: float

    @property
    def ratio(self) -> float:
        return self.last / self.first if self.first else 1.0


def steadiness(points: Points, *, share: float = 0.5) -> Steadiness:
    """Of the values' percentile `share` in each quarter of the time. At least two points, not all at once."""
    begin, end = min(at for at, _ in points), max(at for at, _ in points)
    quarter = (end - begin) / 4
    first = [value for at, value in points if at <= begin + quarter]
    last = [value for at, value in points if at >= end - quarter]
    slope = linear_regression([at for at, _ in points], [value for _, value in points]).slope * 3600
    return Steadiness(percentile(first, share), percentile(last, share), slope)


def by_slice(points: Points, *, seconds: float) -> list[tuple[float, float]]:
    """The median of each slice of time, at its middle."""
    slices: dict[int, list[float]] = {}
    for at, value in points:
        slices.setdefault(int(at // seconds), []).append(value)
    return [((place + 0.5) * seconds, median(values)) for place, values in sorted(slices.items())]


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


def latency(done: Sequence[Done], *, seconds: float) -> Section:
    section = Section(
        "latency",
        "Latency, the first quarter beside the last",
        "Over HTTP, as the client sees it. The slope is that of a straight line through all calls.",
    )
    each = max(5.0, seconds / 60)
    curves = [_line(name, by_slice(_times(done, name), seconds=each)) for name in WATCHED]
    section.panels.append(Panel("Latency", "minutes", "ms, median", curves))
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
        section.figures.append(Figure(f"{action}: slope", steadiness(points).slope, "ms an hour"))
    return section


def memory(samples: Sequence[Sample], *, tasks: int) -> Section:
    """`tasks`: how many the worker was given; a reader makes room for a new one after some hundred."""
    section = Section(
        "memory",
        "Memory, the first quarter beside the last",
        "The resident set of each process that was there all the time, and of each service's processes together, those "
        f"started anew too. A reader is replaced after {Conf.RECYCLE} tasks; the worker was given {tasks:,}. Of the "
        "database, all processes with shared pages split. Its cache of 256 MB fills as it reads, so it has no goal.",
        [*_ended(samples, tasks)],
    )
    for name, points in [*_together(samples), *_processes(samples)]:
        steady = steadiness(points)
        section.figures.extend(
            [
                Figure(f"{name}: first quarter", steady.first, "MB"),
                Figure(f"{name}: last quarter", steady.last, "MB"),
                Figure(f"{name}: last / first", steady.ratio, "x", None, Goal(FLAT_MEMORY)),
                Figure(f"{name}: slope", steady.slope, "MB an hour"),
            ]
        )
    curves = [_line(name, points) for name, points in _processes(samples)]
    section.panels.append(Panel("Resident memory of each process", "minutes", "MB", curves))
    database = steadiness([(sample.at, sample.database) for sample in samples])
    section.figures.append(Figure("database: first quarter", database.first, "MB"))
    section.figures.append(Figure("database: last quarter", database.last, "MB"))
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


def _ended(samples: Sequence[Sample], tasks: int) -> Iterator[Figure]:
    """Those that were seen and are not there at the end, whether or not others took their place."""
    # A reader that was seen before it had its name is one all the same.
    seen = sorted(
        {name for sample in samples for name in sample.rss}, key=lambda name: _service(name) == "reader"
    )
    kinds = {_id(name): _service(name) for name in seen}
    ended = Counter(kinds[id] for id in kinds.keys() - {_id(name) for name in samples[-1].rss})
    yield Figure("readers that ended", ended.pop("reader", 0), goal=Goal(tasks // Conf.RECYCLE))
    yield Figure("other processes that ended", ended.total(), goal=_NONE)


def _together(samples: Sequence[Sample]) -> Iterator[tuple[str, Points]]:
    for title, services in (("web, all processes", {"web"}), ("worker, all processes", {"worker", "reader"})):
        yield (
            title,
            [
                (sample.at, sum(size for name, size in sample.rss.items() if _service(name) in services))
                for sample in samples
            ],
        )


def _service(name: str) -> str:
    return name.split()[0]


def _id(name: str) -> str:
    return name.split()[1]


def _processes(samples: Sequence[Sample]) -> Iterator[tuple[str, Points]]:
    """Those that were there all the time, numbered by service instead of by their IDs."""
    lasting = [name for name in samples[0].rss if all(name in sample.rss for sample in samples)]
    seen: Counter[str] = Counter()
    for name in lasting:
        service = _service(name)
        seen[service] += 1
        yield f"{service} {seen[service]}", [(sample.at, sample.rss[name]) for sample in samples]


def _times(done: Sequence[Done], action: str) -> Points:
    return [(one.at, one.milliseconds) for one in done if one.action == action and not one.error]


def _line(name: str, points: Points) -> Line:
    return Line(name, [at / 60 for at, _ in points], [value for _, value in points])
