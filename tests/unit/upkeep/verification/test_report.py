from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from upkeep.verification.invariant import Finding, Invariant, Page, Problem
from upkeep.verification.report import Report

LOST = Problem("lost", "a thing is lost", "Look for it.")
BENT = Problem("bent", "a thing is bent")
OWNER, ROW = UUID(int=1), UUID(int=2)


class ThingsInvariant(Invariant):
    slug = "things"
    promise = "Things are whole."

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        yield Finding(LOST, OWNER, ROW)


def report_of(*findings: Finding, left: tuple[Finding, ...], repair: bool = False) -> Report:
    report = Report(most_examples=2, repair=repair, invariants=1, relationships=1)
    report.note(ThingsInvariant(), findings, left=left)
    return report


def test_a_problem_is_named_with_its_rows_and_what_to_do() -> None:
    finding = Finding(LOST, OWNER, ROW, "one of two")
    report = report_of(finding, left=(finding,))

    lines = list(report.lines())

    assert lines[0] == "things/lost: 1, to be mended by a person"
    assert lines[1:3] == ["  a thing is lost", "  What to do: Look for it."]
    assert lines[3] == f"    {OWNER}  {ROW}  one of two"
    assert not report.holds


def test_what_repair_would_mend_says_so_and_what_it_mended_too() -> None:
    finding = Finding(BENT, OWNER, ROW)

    assert "--repair mends it" in next(report_of(finding, left=(finding,)).lines())
    assert "could not be mended" in next(report_of(finding, left=(finding,), repair=True).lines())
    mended = report_of(finding, left=(), repair=True)
    assert next(mended.lines()) == "things/bent: 1, mended"
    assert mended.holds


def test_a_part_that_was_mended_is_counted() -> None:
    findings = tuple(Finding(BENT, OWNER, UUID(int=place)) for place in range(5))
    report = report_of(*findings, left=findings[:2], repair=True)

    (problem,) = report.as_json()["problems"]

    assert (problem["found"], problem["mended"], len(problem["rows"])) == (5, 3, 2)
    assert "    and 3 more; --all names them" in list(report.lines())
    assert (report.found, report.left) == (5, 2)
