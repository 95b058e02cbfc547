"""The walk: page after page, invariant after invariant; what is doubted is looked at again under its owner's lock."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from uuid import UUID

import structlog
from django.db import DatabaseError, transaction
from django.utils import timezone

from memory.verification.base import Finding, Invariant, Level, Page
from memory.verification.pages import companion_pages, relationship_pages
from memory.verification.registry import invariants
from memory.verification.remarks import remarks
from memory.verification.report import EXAMPLES, Report
from relationships.errors import RapportError

log = structlog.get_logger(__name__)

_NOTHING = Page((), UUID(int=0), UUID(int=0))


def verify(
    *,
    repair: bool = False,
    project_id: UUID | None = None,
    relationship_id: UUID | None = None,
    examples: int | None = EXAMPLES,
    told: Callable[[int], None] = lambda relationships: None,
) -> Report:
    """Look at every invariant, of one project or relationship if it is named; mend what can be mended if asked.

    `examples`: how many rows of a problem the report names; None: all. `told` hears how many relationships were looked
    at, page by page. Memory does not grow with the number of relationships.
    """
    started = time.monotonic()
    report = Report(most_examples=examples, repair=repair, invariants=len(invariants()))
    if relationship_id is None:
        _walk(report, Level.DATABASE, [_NOTHING])
        for page in companion_pages(project_id):
            _walk(report, Level.COMPANION, [page])
            report.companions += len(page.ids)
    for page in _pages(project_id, relationship_id):
        _walk(report, Level.RELATIONSHIP, [page])
        report.relationships += len(page.ids)
        told(len(page.ids))
    report.remarks += remarks(
        now=timezone.now(), project_id=project_id, relationship_id=relationship_id, examples=examples
    )
    report.seconds = time.monotonic() - started
    log.info(
        "verified the database",
        event_name="verification.done",
        relationships=report.relationships,
        found=report.found,
        left=report.left,
        seconds=round(report.seconds, 2),
    )
    return report


def _pages(project_id: UUID | None, relationship_id: UUID | None) -> Iterator[Page]:
    if relationship_id is not None:
        yield Page.of(relationship_id)
    else:
        yield from relationship_pages(project_id)


def _walk(report: Report, level: Level, pages: Iterable[Page]) -> None:
    for page in pages:
        for invariant in invariants():
            if invariant.level == level:
                _look(report, invariant, page)


def _look(report: Report, invariant: Invariant, page: Page) -> None:
    """In order of ID, so that two who verify at once never wait for each other in a circle."""
    doubted = {finding.owner_id for finding in invariant.look(page, now=timezone.now())}
    for owner_id in sorted(doubted, key=str):
        _look_again(report, invariant, owner_id)


@transaction.atomic
def _look_again(report: Report, invariant: Invariant, owner_id: UUID | None) -> None:
    page = _NOTHING
    if owner_id is not None:
        invariant.hold(owner_id)
        page = Page.of(owner_id)
    findings = list(invariant.look(page, now=timezone.now()))
    left = findings
    mendable = [finding for finding in findings if finding.problem.mendable]
    if report.repair and mendable:
        _mend(invariant, mendable)
        left = list(invariant.look(page, now=timezone.now()))
    report.note(invariant, findings, left=left)


def _mend(invariant: Invariant, findings: Sequence[Finding]) -> None:
    """All at once; where that is refused, each alone, so that one of them does not keep the others from it."""
    if _mended(invariant, findings) or len(findings) == 1:
        return
    for finding in findings:
        _mended(invariant, [finding])


def _mended(invariant: Invariant, findings: Sequence[Finding]) -> bool:
    try:
        with transaction.atomic():
            invariant.mend(findings, now=timezone.now())
    except (DatabaseError, RapportError) as error:
        log.warning(
            "could not be mended",
            event_name="verification.mend.failed",
            invariant=invariant.slug,
            owner_id=str(findings[0].owner_id),
            error_class=type(error).__name__,
        )
        return False
    return True
