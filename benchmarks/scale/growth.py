"""What came of the rounds, as figures. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.figures import Figure, Goal, Section, of_rounds
from benchmarks.scale.caches import READ_BY_CONTEXTS
from benchmarks.scale.expectation import HISTORY
from benchmarks.scale.place import EMBEDDED
from benchmarks.scale.tables import Size
from benchmarks.timing import percentile, spread

Rounds = Sequence[Mapping[str, Sequence[float]]]  # milliseconds by what was read, round by round
MOST_GROWTH = 1.5
# Not of what comes from the disk, where more relationships than fit in memory cannot but take longer.
_GOALS = (
    *("context, warm", "context, any, in memory"),
    *("context over HTTP, warm", "context over HTTP, any, in memory"),
)
_GB = 2**30
MOST_ROOM = 40
VECTORS = "memory_embedding"


def p50s(rounds: Rounds, what: str) -> list[float]:
    return [percentile(times[what], 0.5) for times in rounds]


def times_of(rounds_by_size: Mapping[int, Rounds], *, name: str, title: str, how: str) -> Section:
    """The p50 and p95 of all that was read, size by size."""
    section = Section(name, title, how)
    for what in next(iter(rounds_by_size.values()))[0]:
        for size, rounds in rounds_by_size.items():
            tails = [percentile(times[what], 0.95) for times in rounds]
            at = f"{what}: {size:,} relationships"
            section.figures.append(of_rounds(f"{at}, p50", spread(p50s(rounds, what)), "ms"))
            section.figures.append(of_rounds(f"{at}, p95", spread(tails), "ms"))
    return section


def growth_of(*measured: Mapping[int, Rounds]) -> Section:
    """Each size's p50 beside the smallest's, round by round, as the rounds took turns; the same question together."""
    section = Section(
        "growth", "How it grows", "The p50 beside that of the fewest relationships, round by round."
    )
    for rounds_by_size in measured:
        (fewest, first), *others = rounds_by_size.items()
        for what in first[0]:
            for size, rounds in others:
                pairs = zip(p50s(rounds, what), p50s(first, what), strict=True)
                ratios = spread([ours / theirs for ours, theirs in pairs])
                goal = Goal(MOST_GROWTH) if what in _GOALS else None
                section.figures.append(of_rounds(f"{what}: {size:,} / {fewest:,}", ratios, "x", goal))
    asked = list(dict.fromkeys(_question(figure) for figure in section.figures))
    section.figures.sort(key=lambda figure: asked.index(_question(figure)))
    return section


def _question(figure: Figure) -> str:
    """`context` of `context, any, from disk: 10,000 / 100`."""
    return figure.name.partition(": ")[0].partition(",")[0]


def room_of(
    sizes_by_size: Mapping[int, Mapping[str, Size]],
    *,
    history_of_one_in: Mapping[int, int],
    seconds: Mapping[int, float],
) -> Section:
    """Bytes on the disk. What only some have is extrapolated, and said to be."""
    section = Section(
        "room",
        "Room on the disk",
        f"By table, with its indexes. Vectors are those of the first {EMBEDDED:,} relationships; what everybody's "
        "would take is extrapolated from them, and so is the history where not everybody's was seeded.",
    )
    for size, tables in sizes_by_size.items():
        at = f"{size:,} relationships"
        if seconds.get(size):
            section.figures.append(Figure(f"{at}: seeded in", seconds[size], "s"))
        section.figures.append(
            Figure(f"{at}: on the disk", _whole(tables) / _GB, "GB", None, Goal(MOST_ROOM))
        )
    largest = max(sizes_by_size)
    section.figures.extend(_by_table(largest, sizes_by_size[largest]))
    section.figures.extend(_each(largest, sizes_by_size[largest], history_of_one_in[largest]))
    return section


def _by_table(relationships: int, tables: Mapping[str, Size]) -> Iterator[Figure]:
    """Of those that take more than a hundredth."""
    for name, table in tables.items():
        if table.whole > _whole(tables) / 100:
            yield Figure(f"{relationships:,} relationships: {name}, rows", table.rows / _GB, "GB")
            yield Figure(f"{relationships:,} relationships: {name}, indexes", table.indexes / _GB, "GB")


def _each(relationships: int, tables: Mapping[str, Size], one_in: int) -> Iterator[Figure]:
    """kB a relationship. `one_in`: so many have no history but one."""
    vectors = tables[VECTORS].whole / min(relationships, EMBEDDED)
    history = tables[HISTORY].whole * one_in / relationships
    rest = (_whole(tables) - tables[VECTORS].whole - tables[HISTORY].whole) / relationships
    at = "each relationship"
    yield Figure(f"{at}: without history and vectors", rest / 1024, "kB")
    read = sum(tables[name].whole for name in READ_BY_CONTEXTS) / relationships
    yield Figure(f"{at}: of that what contexts read", read / 1024, "kB")
    yield Figure(f"{at}: its history", history / 1024, "kB")
    yield Figure(f"{at}: its vectors, extrapolated", vectors / 1024, "kB")
    yield Figure(
        f"{relationships:,} relationships with all of that",
        relationships * (rest + history + vectors) / _GB,
        "GB",
    )


def _whole(tables: Mapping[str, Size]) -> int:
    return sum(table.whole for table in tables.values())
