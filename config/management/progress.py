"""The progress bar of a long command, on standard error, so that standard output has only its report."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)


class Advance(Protocol):
    def __call__(self, amount: float = 1, /, *, now: str | None = None) -> None:
        """Move the bar by `amount`. `now`: what is being done from here on."""


@contextmanager
def progress_bar(
    what: str, *, total: float, counted: bool = True, quietly: bool = False
) -> Iterator[Advance]:
    """Show a bar until the block ends. `counted`: as "m/n", not as a percentage; `quietly`: show nothing."""
    figures: ProgressColumn = MofNCompleteColumn() if counted else TaskProgressColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), figures, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=quietly) as progress:
        task = progress.add_task(what, total=total)

        def advance(amount: float = 1, /, *, now: str | None = None) -> None:
            progress.update(task, advance=amount, description=now)

        yield advance
