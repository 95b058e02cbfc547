import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.figures import Figure, Goal, Run, Section
from benchmarks.report import row_of, save, show_section
from benchmarks.timing import Spread

SECTION = Section(
    "latency",
    "Latency",
    "One by one.",
    [Figure("p50", 21.04, "ms", Spread(21.04, 1.5, 1234.5), Goal(15)), Figure("processes", 3)],
)
RUN = Run("2026-03-02 12:00", {"cores": "2"}, [SECTION])


@pytest.mark.parametrize(
    ("figure", "row"),
    [
        (SECTION.figures[0], ("p50", "21 ms", "1.5 to 1,234", "at most 15", "MISSED")),
        (SECTION.figures[1], ("processes", "3", "", "", "")),
        (
            Figure("rate", 1234.5, "/s", goal=Goal(1 / 3, at_most=False)),
            ("rate", "1,234 /s", "", "at least 0.333", "met"),
        ),
    ],
    ids=["missed", "without a goal", "met"],
)
def test_a_row_shows_the_figure_its_range_and_its_goal(figure: Figure, row: tuple[str, ...]) -> None:
    assert row_of(figure) == row


def test_a_section_is_shown_as_a_table() -> None:
    console = Console(file=StringIO(), width=100)

    show_section(SECTION, console)

    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert all(part in shown for part in ("Latency", "21 ms", "at most 15", "MISSED", "One by one."))


def test_a_run_is_kept_for_people_and_for_programs(tmp_path: Path) -> None:
    for_people, for_programs = save(RUN, tmp_path / "results")

    assert "| p50 | 21 ms | 1.5 to 1,234 | at most 15 | MISSED |" in for_people.read_text().splitlines()
    assert "- cores: 2" in for_people.read_text()
    figures = json.loads(for_programs.read_text())["sections"][0]["figures"]
    assert [(figure["value"], figure["met"]) for figure in figures] == [(21.04, False), (3, None)]
