"""Works on a relationship's asynchronous behaviours, one run at a time.

What a run writes (session, profile, entry, message) is written in the transaction that settles it, which first checks
that this worker still holds the run. So it is written once, even if workers die. A webhook is called before that, so
the next worker may call it again, with the same ID.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from time import perf_counter
from typing import Any
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from behaviours.conditions import holds
from behaviours.configuration import Behaviour
from behaviours.models import BehaviourRun, RunState
from behaviours.moments import TurnMoment, dated_entries, variables_of
from behaviours.owed import TASK, owe_next_times, time_of
from memory.entries.happens import zone_of
from memory.mending.forgotten import Forgotten
from memory.model_calls import MadeCall, count_made_calls, store_made_calls
from relationships.configuration.schema import Configuration
from relationships.models import Relationship, Turn
from relationships.services.configuration import configuration_of
from relationships.services.sequence import lock_relationship
from worker.failures import Failure
from worker.leases import one_by_one
from worker.models import QueuedQuerySet

log = structlog.get_logger(__name__)


class RunLost(Exception):
    """This worker no longer holds the run: it was taken over or erased."""


@dataclass(slots=True)
class Work:
    """A claimed run. `write`: writes the run's effects when it is settled; `values`: columns of the run."""

    run: BehaviourRun
    held: QueuedQuerySet
    relationship: Relationship
    configuration: Configuration
    behaviour: Behaviour
    turn: Turn | None
    moment: TurnMoment
    calls: list[MadeCall] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    write: Callable[["Work"], str] | None = None  # returns what it did

    def variables(self) -> dict[str, Any]:
        """What the behaviour's template may use."""
        return variables_of(self.moment, self.behaviour)


Action = Callable[[Work], None]


def run_behaviours(*, relationship_id: UUID, worker: str, actions: dict[str, Action]) -> int:
    """Work on due runs until there are none, or other relationships wait. Returns how many runs were looked at."""
    rows = BehaviourRun.objects.for_relationship(relationship_id).order_by("due_at", "id")
    return one_by_one(rows, worker=worker, task=TASK, do=partial(_work_on, actions=actions))


def _work_on(run: BehaviourRun, actions: dict[str, Action]) -> bool:
    started, held = perf_counter(), run.held_row()
    work: Work | None = None
    try:
        work = _open(run, held)
        if work is None:
            return True
        actions[work.behaviour.action](work)
        _settle(work, started)
    except RunLost:
        _count_lost(work)
    except Exception as error:
        _give_back(run, held, work, Failure.of(error, attempts=run.attempts), started)
    return True


def _open(run: BehaviourRun, held: QueuedQuerySet) -> Work | None:
    """Load the work. If the behaviour is gone, its condition does not hold or the person has paused, drop the run, or
    fail it if it has fired already, and return None. Raises RunLost.
    """
    with transaction.atomic():
        _hold(run, held)  # first, so that what is read cannot change
        rows = Relationship.objects.select_related("companion", "project", "user")
        relationship = rows.get(id=run.relationship_id)
        turn = Turn.objects.for_relationship(relationship.id).filter(id=run.turn_id).first()
        configuration = configuration_of(relationship, turn=turn.config if turn else None).values
        behaviour = dict(configuration.behaviours.by_kind["async"]).get(run.behaviour)
        due = time_of(run) if run.turn_id is None else None
        told = _told_today(run, behaviour, relationship.timezone)
        moment = TurnMoment(relationship, turn, now=due, told_today=told)
        if behaviour is not None and due is not None and run.occasion.startswith("at:"):
            held.update(occasion=f"on:{run.occasion[3:]}")  # so that it no longer counts as the next time
            after = max(due, timezone.now())
            owe_next_times(relationship.id, run.project_id, {run.behaviour: behaviour}, after=after)
        paused = relationship.user.ingestion_paused
        if run.fired_at is None and (paused or not _fires(run, behaviour, moment)):
            held.delete()
            return None
        if behaviour is None or (turn is None and run.turn_id is not None):
            _fail(held, "The behaviour no longer exists, or is off.")
            return None
        quoted = [entry.id for entry in dated_entries(moment, behaviour.when)]
        if run.entry_ids and not quoted:
            _fail(held, "No entry that it was about has this date any more.")
            return None
        run.entry_ids = list(dict.fromkeys([*run.entry_ids, *quoted]))
        if run.fired_at is None or quoted:
            run.fired_at = run.fired_at or timezone.now()
            held.update(fired_at=run.fired_at, action=behaviour.action, entry_ids=run.entry_ids)
    return Work(run, held, relationship, configuration, behaviour, turn, moment)


def _told_today(run: BehaviourRun, behaviour: Behaviour | None, timezone_name: str) -> set[UUID]:
    """The dated entries that this behaviour came back to in another run, on the person's present day."""
    if behaviour is None or not behaviour.when.mentions("happens"):
        return set()
    day = timezone.now().astimezone(zone_of(timezone_name)).replace(hour=0, minute=0, second=0, microsecond=0)
    runs = BehaviourRun.objects.for_relationship(run.relationship_id).exclude(id=run.id)
    today = runs.filter(behaviour=run.behaviour, fired_at__gte=day).values_list("entry_ids", flat=True)
    return {entry_id for entry_ids in today for entry_id in entry_ids}


def _fail(held: QueuedQuerySet, why: str) -> None:
    """Give up a run that has fired, as what it was about is gone."""
    gone = {"outcome": "", "error": why, "error_code": "gone"}
    held.settle(state=RunState.FAILED, settled_at=timezone.now(), **gone)


def _fires(run: BehaviourRun, behaviour: Behaviour | None, moment: TurnMoment) -> bool:
    """Return whether the behaviour does something. Under the relationship's lock, so that cooldowns are reliable."""
    if behaviour is None or not holds(behaviour.when, moment):
        return False
    return not is_cooling_down(run.relationship_id, run.behaviour, behaviour, now=timezone.now())


def is_cooling_down(relationship_id: UUID, name: str, behaviour: Behaviour, *, now: datetime) -> bool:
    """Return whether the behaviour's cooldown lasts. Runs no statement if it has none."""
    if not behaviour.cooldown_minutes:
        return False
    runs = BehaviourRun.objects.for_relationship(relationship_id).filter(behaviour=name)
    last: datetime | None = runs.aggregate(last=Max("fired_at"))["last"]
    return last is not None and now - last < timedelta(minutes=behaviour.cooldown_minutes)


@transaction.atomic
def _settle(work: Work, started: float) -> None:
    """Write the run's effects and settle it. Raises RunLost."""
    _hold(work.run, work.held)
    quoted, fired_at = work.run.entry_ids, work.run.fired_at
    # A model answers later: the person may have asked to forget an entry with a date that it may quote.
    if work.write and quoted and Forgotten.of(work.run.relationship_id).in_dated(quoted, fired_at):
        work.write = None
        work.values["outcome"] = "Nothing was written, as what it was about was forgotten meanwhile."
    outcome = work.write(work) if work.write else work.values.pop("outcome", "")
    work.held.settle(
        state=RunState.DONE,
        settled_at=timezone.now(),
        **_outcome_columns(work, started) | {"outcome": outcome, "error": "", "error_code": ""},
    )
    store_made_calls(work.calls, now=timezone.now())
    log.info("a behaviour ran", event_name="behaviour.done", run_id=str(work.run.id), action=work.run.action)


def _give_back(
    run: BehaviourRun, held: QueuedQuerySet, work: Work | None, failure: Failure, started: float
) -> None:
    if failure.is_ours:
        log.error(
            "unexpected error",
            event_name="behaviour.internal_error",
            where=failure.error,
            run_id=str(run.id),
        )
    else:
        waits = failure.delay
        log.warning(
            "a behaviour failed",
            event_name="behaviour.failed",
            code=failure.code,
            waits=waits,
            run_id=str(run.id),
        )
    told = _outcome_columns(work, started) if work else {}
    try:
        with transaction.atomic():
            _hold(run, held)
            failure.end(held, failed={"state": RunState.FAILED, "settled_at": timezone.now()}, **told)
            store_made_calls(work.calls if work else (), now=timezone.now())
    except RunLost:
        _count_lost(work)


def _hold(run: BehaviourRun, held: QueuedQuerySet) -> None:
    """Lock the relationship and the run until the transaction ends. Raises RunLost."""
    if not lock_relationship(run.relationship_id) or not held.select_for_update().exists():
        raise RunLost


def _outcome_columns(work: Work, started: float) -> dict[str, Any]:
    came = [call.completion for call in work.calls if call.completion is not None]
    return {
        **work.values,
        "milliseconds": round((perf_counter() - started) * 1000, 1),
        "model_call_ids": [*work.run.model_call_ids, *(call.row.id for call in work.calls)],
        "prompt_tokens": sum(max(0, one.prompt_tokens or 0) for one in came) if came else None,
        "output_tokens": sum(max(0, one.output_tokens or 0) for one in came) if came else None,
    }


def _count_lost(work: Work | None) -> None:
    if work is not None:
        count_made_calls(work.calls, now=timezone.now())
