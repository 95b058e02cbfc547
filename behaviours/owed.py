"""Creates runs, for a stored turn or for the next time of a schedule, in the same transaction."""

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
    runs = []
    for name, behaviour in by_kind["async"]:
        if behaviour.is_scheduled:
            owe_next_time(turn.relationship_id, turn.project_id, name, behaviour, after=stored.now)
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
    if any(run.due_at for run in runs):
        enqueue_task(TASK, turn.relationship_id, project_id=turn.project_id)


def owe_schedules(relationship: Relationship) -> None:
    """Create the runs for the next times of all schedules. Under the relationship's row lock."""
    behaviours = configuration_of(relationship).values.behaviours
    for name, behaviour in behaviours.by_kind["async"]:
        if behaviour.is_scheduled:
            owe_next_time(relationship.id, relationship.project_id, name, behaviour, after=now())


def owe_next_time(
    relationship_id: UUID, project_id: UUID, name: str, behaviour: Behaviour, *, after: datetime
) -> None:
    """Create the run for the next time of a schedule. It takes the place of one for another time that is still to come,
    which was owed by an earlier schedule or in another time zone. Under the relationship's row lock.
    """
    timezone = Relationship.objects.values_list("timezone", flat=True).get(id=relationship_id)
    due = min(next_time(expression, after, timezone) for expression in schedules_of(behaviour.when))
    open_runs = BehaviourRun.objects.for_relationship(relationship_id).filter(behaviour=name).next_times()
    for known in open_runs:  # one at most
        if time_of(known) == due or time_of(known) <= after:
            return
        open_runs.delete()
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
    BehaviourRun.objects.bulk_create([run], ignore_conflicts=True)


def time_of(run: BehaviourRun) -> datetime:
    """The time of a schedule that a run without a turn is for."""
    return datetime.fromisoformat(run.occasion[3:])


def schedules_of(condition: Condition) -> list[str]:
    return [part.schedule for part in condition.parts() if part.schedule]
