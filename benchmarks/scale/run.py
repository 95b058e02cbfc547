"""One run: the databases, side by side, and rounds that take turns among them."""

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from benchmarks.figures import Run
from benchmarks.plots import Line, Panel, draw
from benchmarks.report import save, show_section
from benchmarks.scale.expectation import GB
from benchmarks.scale.growth import Rounds, growth_of, p50s, room_of, times_of
from benchmarks.scale.reads import WORKING_SET
from benchmarks.scale.tables import Size
from benchmarks.scale.tenant import Tenant
from benchmarks.timing import spread

RESULTS = Path(__file__).parent.parent / "results"
_PROBED_FROM = 20_000
_COLUMNS = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())


PICTURED = {
    "In process": ("context, warm", "context, any, in memory", "search, warm", "search, any"),
    "Through the production server": (
        *("context over HTTP, warm", "context over HTTP, any, in memory"),
        *("search over HTTP, warm", "search over HTTP, any"),
    ),
}
ANY = (
    f"Warm: {WORKING_SET} relationships, read again and again. Any: drawn anew from all, and nobody twice. In memory: "
    "the files that contexts read were read from end to end before each round; what searches read is in memory as far "
    "as it fits. From the disk: see below."
)
FROM_DISK = {"From the disk, nothing cached": ("context, any, from disk", "search, any, from disk")}


ROOM_OF = {
    "history": "memory_entryrevision",
    "search texts": "memory_searchtext",
    "entries": "memory_scratchpadentry",
    "snapshots": "relationships_snapshot",
}


@dataclass(frozen=True, slots=True)
class Measured:
    run: Run
    panels: list[Panel]


class Scales:
    """The sizes under measurement, the fewest relationships first."""

    def __init__(self, sizes: Sequence[int], folder: Path, console: Console) -> None:
        self._folder, self._console = folder, console
        self.tenants = {size: Tenant(size, folder / str(size)) for size in sorted(set(sizes))}
        self.one_in: dict[int, int] = {}
        self.seconds: dict[int, float] = {}

    def close(self) -> None:
        for tenant in self.tenants.values():
            tenant.close()

    def seed(self, *, bound: float) -> None:
        """Each that is not there yet. Raises RuntimeError where one would not fit."""
        for size, tenant in self.tenants.items():
            if (self._folder / str(size) / "place.json").exists():
                continue
            one_in = self._expected(size, tenant, bound) if size >= _PROBED_FROM else 1
            seconds = self._seed_one(size, tenant, one_in)
            self._console.print(f"{size:,} relationships: seeded in {seconds:,.0f} s.")

    def open(self) -> None:
        for size, tenant in self.tenants.items():
            place = tenant.ask("open")
            self.one_in[size], self.seconds[size] = place.history_of_one_in, place.seconds

    def rounds(self, name: str, *, rounds: int, calls: int) -> Mapping[int, Rounds]:
        """A B C, A B C: so that each size meets the machine in the same state."""
        found: dict[int, list[Any]] = {size: [] for size in self.tenants}
        with Progress(*_COLUMNS, console=self._console, transient=True) as progress:
            task = progress.add_task(name.replace("_", " "), total=rounds * len(found))
            for number in range(1, rounds + 1):
                for size, tenant in self.tenants.items():
                    found[size].append(tenant.ask(name, calls=calls, seed=number))
                    progress.advance(task)
        return found

    def _seed_one(self, size: int, tenant: Tenant, one_in: int) -> float:
        bars: dict[str, TaskID] = {}
        with Progress(*_COLUMNS, console=self._console, transient=True) as progress:

            def tell(what: str, share: float) -> None:
                name = what.partition(":")[0]
                if name not in bars:
                    bars[name] = progress.add_task(what, total=1.0)
                progress.update(bars[name], description=what, completed=share)

            seconds: float = tenant.ask("seed", tell, relationships=size, history_of_one_in=one_in)
        return seconds

    def _expected(self, size: int, tenant: Tenant, bound: float) -> int:
        told = tenant.ask("expectation", relationships=size, bound=bound)
        free = shutil.disk_usage(self._folder).free / GB
        self._console.print(
            f"{size:,} relationships are expected to take {told.whole_data / GB:.1f} GB; {free:.1f} GB are free."
        )
        if told.history_of_one_in > 1:
            self._console.print(
                f"So that it fits, one in {told.history_of_one_in} gets its history, which neither contexts nor "
                f"searches read: {told.data / GB:.1f} GB."
            )
        one_in: int = told.history_of_one_in
        return one_in


def run(
    sizes: Sequence[int],
    folder: Path,
    *,
    rounds: int,
    calls: int,
    bound: float,
    seed_only: bool,
    save_it: bool,
) -> None:
    """A missed goal is shown, and is no failure: machines differ."""
    console = Console(width=None if os.isatty(1) else 130)
    with ExitStack() as stack:
        scales = Scales(sizes, folder, console)
        stack.callback(scales.close)
        scales.seed(bound=bound)
        if seed_only:
            return
        scales.open()
        measured = _measure(scales, rounds, calls, console)
    if save_it:
        files = save(measured.run, RESULTS)
        files += draw(measured.panels, files[0].with_suffix(""))
        console.print(f"Written to benchmarks/results: {', '.join(file.name for file in files)}.")
    missed = [figure.name for section in measured.run.sections for figure in section.missed()]
    console.print("Missed: " + "; ".join(missed) if missed else "Every goal is met.")


def _measure(scales: Scales, rounds: int, calls: int, console: Console) -> "Measured":
    how = f"{rounds} rounds of {calls} calls for each number of relationships, which take turns."
    inside = scales.rounds("in_process", rounds=rounds, calls=calls)
    outside = scales.rounds("over_http", rounds=rounds, calls=calls)
    disk = scales.rounds("from_disk", rounds=min(3, rounds), calls=calls // 2)
    both = _together(inside, outside)
    sizes = {size: tenant.ask("sizes") for size, tenant in scales.tenants.items()}
    last = next(reversed(scales.tenants.values()))
    sections = [
        times_of(
            inside,
            name="in_process",
            title="In process",
            how=f"{how} {ANY}",
        ),
        times_of(
            outside, name="over_http", title="Through the production server", how=f"{how} One client. {ANY}"
        ),
        times_of(
            disk,
            name="from_disk",
            title="From the disk",
            how="First reads after the database was started anew and the system's cache of its files was emptied.",
        ),
        growth_of(both, disk),
        room_of(
            sizes,
            history_of_one_in=scales.one_in,
            seconds=scales.seconds,
        ),
    ]
    for section in sections:
        show_section(section, console)
    run = Run(f"scale-{datetime.now():%Y-%m-%d %H:%M}", last.ask("machine"), sections)
    return Measured(run, [*_panels(both, PICTURED), *_panels(disk, FROM_DISK), _room(sizes)])


def _together(*parts: Mapping[int, Rounds]) -> dict[int, Rounds]:
    """The rounds of several measurements as one, each with all that was read."""
    return {
        size: [
            {what: times for one in of_round for what, times in one.items()}
            for of_round in zip(*(part[size] for part in parts), strict=True)
        ]
        for size in parts[0]
    }


def _panels(rounds: Mapping[int, Rounds], pictured: Mapping[str, Sequence[str]]) -> list[Panel]:
    return [
        Panel(title, "relationships", "ms, p50", [_line(rounds, what) for what in whats], logarithmic="x")
        for title, whats in pictured.items()
    ]


def _line(rounds: Mapping[int, Rounds], what: str) -> Line:
    found = [spread(p50s(of_size, what)) for of_size in rounds.values()]
    middles, lows, highs = zip(*found, strict=True)
    return Line(what, list(rounds), middles, lows, highs)


def _room(sizes: Mapping[int, Mapping[str, Size]]) -> Panel:
    lines = [
        Line(name, list(sizes), [tables[table].whole / GB for tables in sizes.values()])
        for name, table in ROOM_OF.items()
    ]
    everything = [sum(table.whole for table in tables.values()) / GB for tables in sizes.values()]
    return Panel(
        "Room on the disk, as seeded",
        "relationships",
        "GB",
        [Line("everything", list(sizes), everything), *lines],
        "xy",
    )
