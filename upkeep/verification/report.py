"""The result of a verification: counts, and the IDs of the first few rows of each problem."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from upkeep.verification.invariant import Finding, Invariant, Problem

EXAMPLES = 10  # rows of a problem that are named, unless all are wanted


@dataclass(slots=True)
class Tally:
    """One problem of one invariant: how often it was found and mended, and the first rows."""

    invariant: str
    problem: Problem
    found: int = 0
    mended: int = 0
    examples: list[Finding] = field(default_factory=list)

    @property
    def left(self) -> int:
        return self.found - self.mended


@dataclass(slots=True)
class Report:
    """The whole result. `relationships`: how many were checked; `remarks`: what isn't a problem, but worth knowing."""

    most_examples: int | None = EXAMPLES  # None: all
    repair: bool = False
    relationships: int = 0
    companions: int = 0
    invariants: int = 0
    seconds: float = 0.0
    remarks: list[str] = field(default_factory=list)
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)

    @property
    def found(self) -> int:
        return sum(tally.found for tally in self.tallies.values())

    @property
    def left(self) -> int:
        return sum(tally.left for tally in self.tallies.values())

    @property
    def holds(self) -> bool:
        return self.left == 0

    def note(self, invariant: Invariant, findings: Iterable[Finding], *, left: Iterable[Finding]) -> None:
        """Count the findings; those that are not `left` were mended."""
        still = set(left)
        for finding in findings:
            key = (invariant.slug, finding.problem.slug)
            tally = self.tallies.setdefault(key, Tally(invariant.slug, finding.problem))
            tally.found += 1
            tally.mended += finding not in still
            if self.most_examples is None or len(tally.examples) < self.most_examples:
                tally.examples.append(finding)

    def as_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "found": self.found,
            "left": self.left,
            "relationships": self.relationships,
            "companions": self.companions,
            "seconds": round(self.seconds, 2),
            "problems": [_problem(tally) for tally in self.tallies.values()],
            "remarks": self.remarks,
        }

    def lines(self) -> Iterator[str]:
        """The report for people: each problem with what to do about it, then the sum."""
        for tally in self.tallies.values():
            yield f"{tally.invariant}/{tally.problem.slug}: {tally.found}, {_state(tally, self.repair)}"
            yield f"  {tally.problem.words}"
            if tally.left and tally.problem.remedy:
                yield f"  What to do: {tally.problem.remedy}"
            for finding in tally.examples:
                parts = (str(finding.owner_id or ""), str(finding.row_id or ""), finding.detail)
                yield f"    {'  '.join(filter(None, parts))}"
            if tally.found > len(tally.examples):
                yield f"    and {tally.found - len(tally.examples)} more; --all names them"
        yield from self.remarks
        yield _sum(self)


def _problem(tally: Tally) -> dict[str, Any]:
    return {
        "invariant": tally.invariant,
        "problem": tally.problem.slug,
        "words": tally.problem.words,
        "found": tally.found,
        "mended": tally.mended,
        "mendable": tally.problem.repairable,
        "remedy": tally.problem.remedy,
        "rows": [
            {
                "owner": str(finding.owner_id) if finding.owner_id else None,
                "row": str(finding.row_id) if finding.row_id else None,
                "detail": finding.detail,
            }
            for finding in tally.examples
        ],
    }


def _state(tally: Tally, repair: bool) -> str:
    if tally.mended == tally.found:
        return "mended"
    if tally.mended:
        return f"{tally.mended} mended"
    if not tally.problem.repairable:
        return "to be mended by a person"
    return "could not be mended" if repair else "--repair mends it"


def _sum(report: Report) -> str:
    looked = (
        f"{report.invariants} invariants, {report.relationships} relationships, "
        f"{report.companions} companions, {report.seconds:.1f} s"
    )
    if not report.found:
        return f"All holds: {looked}."
    mended = f", {report.found - report.left} of them mended" if report.repair else ""
    end = "All holds now" if report.holds else f"{report.left} left"
    return f"{report.found} problems{mended}. {end}: {looked}."
