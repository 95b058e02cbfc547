"""Check page by page, invariant by invariant, and check suspicious rows again under their owner's lock.

A page has relationships, or companions, in order of their IDs: keyset pagination instead of a long cursor.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache
from uuid import UUID

import structlog
from django.conf import settings
from django.db import DatabaseError, transaction
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.module_loading import import_string

from relationships.models import Companion, Relationship, Turn, TurnState
from upkeep.statistics import look_at_grown_tables
from upkeep.verification.invariant import Finding, Invariant, Level, Page
from upkeep.verification.report import EXAMPLES, Report
from web.errors import RapportError
from worker.condition import read_condition

log = structlog.get_logger(__name__)

_NOTHING = Page((), UUID(int=0), UUID(int=0))
OWNERS_A_PAGE = 500
FIRST, LAST = UUID(int=0), UUID(int=(1 << 128) - 1)


@cache
def invariants() -> tuple[Invariant, ...]:
    """All of INVARIANTS in config/registries.py, in that order: those that others depend on come first."""
    return tuple(import_string(path)() for path in settings.INVARIANTS)


def verify(
    *,
    repair: bool = False,
    project_id: UUID | None = None,
    relationship_id: UUID | None = None,
    examples: int | None = EXAMPLES,
    told: Callable[[int], None] = lambda relationships: None,
) -> Report:
    """Check every invariant, for one project or relationship if given, and repair what can be repaired if asked.

    `examples`: how many rows of a problem the report names; None: all. `told` is called after each page with its number
    of relationships. Memory does not grow with the number of relationships.
    """
    started = time.monotonic()
    report = Report(most_examples=examples, repair=repair, invariants=len(invariants()))
    look_at_grown_tables()
    if relationship_id is None:
        _look(report, Level.DATABASE, _NOTHING)
        for page in pages_of(Companion, project_id):
            _look(report, Level.COMPANION, page)
            report.companions += len(page.ids)
    for page in [Page.of(relationship_id)] if relationship_id else pages_of(Relationship, project_id):
        _look(report, Level.RELATIONSHIP, page)
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


def _look(report: Report, level: Level, page: Page) -> None:
    """Check a page. Owners are locked in order of ID, so that two verifications never deadlock."""
    for invariant in invariants():
        if invariant.level == level:
            doubted = {finding.owner_id for finding in invariant.check(page, now=timezone.now())}
            for owner_id in sorted(doubted, key=str):
                _check_again(report, invariant, owner_id)


@transaction.atomic
def _check_again(report: Report, invariant: Invariant, owner_id: UUID | None) -> None:
    page = _NOTHING
    if owner_id is not None:
        invariant.lock(owner_id)
        page = Page.of(owner_id)
    findings = list(invariant.check(page, now=timezone.now()))
    left = findings
    repairable = [finding for finding in findings if finding.problem.repairable]
    if report.repair and repairable:
        # All at once or, if that fails, one by one, so that a single one does not prevent the others.
        if not _repaired(invariant, owner_id, repairable) and len(repairable) > 1:
            for finding in repairable:
                _repaired(invariant, owner_id, [finding])
        left = list(invariant.check(page, now=timezone.now()))
    report.note(invariant, findings, left=left)


def _repaired(invariant: Invariant, owner_id: UUID | None, findings: Sequence[Finding]) -> bool:
    try:
        with transaction.atomic():
            invariant.repair(owner_id, findings, now=timezone.now())
    except (DatabaseError, RapportError) as error:
        log.warning(
            "a repair failed",
            event_name="verification.mend.failed",
            invariant=invariant.slug,
            owner_id=str(owner_id),
            exc_info=error,
        )
        return False
    return True


def pages_of(model: type[Relationship] | type[Companion], project_id: UUID | None = None) -> Iterator[Page]:
    """Pages of at most OWNERS_A_PAGE owners. Together they cover every possible ID."""
    owners = model._base_manager.order_by("id")
    if project_id is not None:
        owners = owners.filter(project_id=project_id)
    first, ends = FIRST, False
    while not ends:
        ids = list(owners.filter(id__gte=first).values_list("id", flat=True)[:OWNERS_A_PAGE])
        ends = len(ids) < OWNERS_A_PAGE
        yield Page(tuple(ids), first, LAST if ends else ids[-1], project_id)
        first = UUID(int=ids[-1].int + 1) if ids else LAST


def remarks(
    *, now: datetime, project_id: UUID | None, relationship_id: UUID | None, examples: int | None
) -> Iterator[str]:
    """Remarks on waiting turns if no worker runs. `examples`: how many turns are named; None: all."""
    condition = read_condition()
    if any(worker.alive for worker in condition.workers):
        return
    waiting = condition.turns.due + condition.turns.retrying + condition.turns.processing
    if waiting:
        turns = f"{waiting} turn{pluralize(waiting, ' waits,s wait')}"
        yield f"No worker is running, and {turns} for one: start it (manage.py worker)."
    # no damage: the next worker's sweep takes these back first
    held = Turn.objects.filter(state=TurnState.PROCESSING, lease_until__lt=now)
    if project_id is not None:
        held = held.filter(relationship__project_id=project_id)
    if relationship_id is not None:
        held = held.filter(relationship_id=relationship_id)
    if count := held.count():
        named = held.order_by("relationship_id", "seq").values_list("relationship_id", "id")[:examples]
        lines = [
            f"{count} turn{pluralize(count, ' was,s were')} in the hands of a worker that is gone. "
            f"The next one takes {pluralize(count, 'it,them')} back by itself:",
            *(f"    {owner}  {id}" for owner, id in named),
        ]
        if examples and examples < count:
            lines.append(f"    and {count - examples} more; --all names them")
        yield "\n".join(lines)
