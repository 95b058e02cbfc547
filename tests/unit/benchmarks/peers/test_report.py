from pathlib import Path

from benchmarks.peers.findings import Finding, Goal, Line
from benchmarks.peers.report import Report, as_markdown, behind_in, cells, save, told

FETCH = Line(
    "fetch, p50", "ms", {"rapport": [1.0, 2.0, 3.0], "mem0": [10.0, 12.0, 14.0], "baseline": "it has none"}
)
SPEED = Line("turns a second", "", {"rapport": [40.0], "mem0": [60.0]}, "more")
FINDING = Finding(
    "waits",
    "Waiting",
    "Each in turn.",
    [FETCH, SPEED],
    [Goal("faster", 6, 5, at_most=False, unit="x")],
    ["Why."],
)


def report_of(*findings: Finding) -> Report:
    about = {"mem0": {"": "mem0 (library)", "version": "2.2.1"}}
    return Report(
        "2026-01-01 12:00",
        "python -m benchmarks.peers",
        3,
        {"cores": "2"},
        about,
        {"LangMem": "gone"},
        [*findings],
    )


def test_a_report_begins_with_the_goals_and_with_who_is_ahead_of_us() -> None:
    text = as_markdown(report_of(FINDING), {"waits": ["waits.png", "waits.svg"]})

    assert text.index("faster: 6 x (wanted at least 5): met") < text.index("What ran")
    assert "Waiting, turns a second: mem0 60; rapport 40" in text
    for part in ("mem0 (library)", "version: 2.2.1", "LangMem, gone", "![Waiting](waits.png)", "- Why."):
        assert part in text


def test_a_cell_gives_the_median_and_the_range_or_why_there_is_none() -> None:
    assert cells(FETCH, ["rapport", "mem0", "baseline"], ranges=True) == [
        "fetch, p50 (ms)",
        "2 (1 to 3)",
        "12 (10 to 14)",
        "it has none",
        "rapport",
    ]


def test_we_are_behind_only_where_another_is_best() -> None:
    assert behind_in(Finding("waits", "Waiting", "", [FETCH])) == []
    assert len(behind_in(FINDING)) == 1


def test_a_missed_goal_says_so() -> None:
    assert told(Goal("lost", 2, 0)) == "lost: 2 (wanted at most 0): MISSED"
    assert told(Goal("lost", None, 0)) == "lost: not measured (wanted at most 0)"


def test_a_report_is_saved_as_markdown_and_json(tmp_path: Path) -> None:
    save(report_of(Finding("waits", "Waiting", "It could not be measured.")), tmp_path / "peers")

    assert "It could not be measured." in (tmp_path / "peers" / "report.md").read_text()
    assert '"waits"' in (tmp_path / "peers" / "report.json").read_text()
