"""Creates runs, for a stored turn or for the next time of a schedule, in the same transaction."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.utils.timezone import now

from behaviours.configuration import Behaviour, Condition
from behaviours.models import BehaviourRun
from behaviours.schedule import next_time
from memory.ingestion.intake import StoredTurn
from relationships.ids import uuid7
from relationships.models import DEFAULT_SESSION, MessageRole, Relationship, TurnState
from relationships.services.configuration import configuration_of
from worker.enqueue import enqueue_task

TASK = "behaviours.tasks.run"


def owe_runs(stored: StoredTurn) -> None:
    """Create a run for each asynchronous behaviour, unless the person paused; a worker checks the conditions. Without
    behaviours this costs nothing.
    """
    by_kind = stored.configuration.behaviours.by_kind
    if stored.paused or not any(by_kind.values()):
        return
    turn = stored.turn
    if by_kind["priority"]:
        # the session's latest contexts led to this turn
        made = BehaviourRun.objects.for_relationship(turn.relationship_id).filter(
            kind="priority", turn_id=None
        )
        made.filter(session=turn.session).update(turn_id=turn.id)
    # Such as an agent's report: nobody spoke, but entries may come of it.
    reported = all(message.role == MessageRole.TOOL for message in stored.messages)
    runs, scheduled = [], dict[str, Behaviour]()
    for name, behaviour in by_kind["async"]:
        if behaviour.is_scheduled:
            scheduled[name] = behaviour
        elif turn.state != TurnState.SKIPPED if behaviour.waits_for_reading else not reported:
            runs.append(
                BehaviourRun(
                    relationship_id=turn.relationship_id,
                    project_id=turn.project_id,
                    behaviour=name,
                    kind=behaviour.kind,
                    action=behaviour.action,
                    occasion=f"turn:{turn.id}",
                    turn_id=turn.id,
                    session=turn.session,
                    due_at=None if behaviour.waits_for_reading else stored.now,
                )
            )
    BehaviourRun.objects.bulk_create(runs)
    owe_next_times(turn.relationship_id, turn.project_id, scheduled, after=stored.now)
    if any(run.due_at for run in runs):
        enqueue_task(TASK, turn.relationship_id, project_id=turn.project_id)


def owe_schedules(relationship: Relationship) -> None:
    """Create the runs for the next times of all schedules. Under the relationship's row lock."""
    behaviours = configuration_of(relationship).values.behaviours.by_kind["async"]
    scheduled = {name: behaviour for name, behaviour in behaviours if behaviour.is_scheduled}
    owe_next_times(relationship.id, relationship.project_id, scheduled, after=now())


def owe_next_times(
    relationship_id: UUID, project_id: UUID, scheduled: Mapping[str, Behaviour], *, after: datetime
) -> None:
    """Create the runs for the next times of these schedules. Each takes the place of one for another time that is still
    to come, which was owed by an earlier schedule or in another time zone. Under the relationship's row lock. Four
    statements, however many there are.
    """
    if not scheduled:
        return
    timezone = Relationship.objects.values_list("timezone", flat=True).get(id=relationship_id)
    owned = BehaviourRun.objects.for_relationship(relationship_id)
    known = {run.behaviour: run for run in owned.filter(behaviour__in=scheduled).next_times()}
    runs = []
    for name, behaviour in scheduled.items():
        due = min(next_time(expression, after, timezone) for expression in schedules_of(behaviour.when))
        if name in known and (time_of(known[name]) == due or time_of(known[name]) <= after):
            del known[name]  # it stays
            continue
        run = BehaviourRun(
            id=uuid7(),
            relationship_id=relationship_id,
            project_id=project_id,
            behaviour=name,
            kind=behaviour.kind,
            action=behaviour.action,
            occasion=f"at:{due.isoformat()}",
            session=DEFAULT_SESSION,
            due_at=due,
        )
        runs.append(run)
    if known:
        owned.filter(behaviour__in=known).next_times().delete()
    BehaviourRun.objects.bulk_create(runs, ignore_conflicts=True)


def time_of(run: BehaviourRun) -> datetime:
    """The time of a schedule that a run without a turn is for."""
    return datetime.fromisoformat(run.occasion[3:])


def schedules_of(condition: Condition) -> list[str]:
    return [part.schedule for part in condition.parts() if part.schedule]
