"""When a run is due: after a stored turn, or at a scheduled time. Its row is written in that transaction."""

from datetime import datetime
from uuid import UUID

from behaviours.configuration import Behaviour, Condition
from behaviours.models import BehaviourRun, RunState
from behaviours.schedule import next_time
from memory.ingestion.intake import StoredTurn
from relationships.ids import uuid7
from relationships.models import DEFAULT_SESSION, MessageRole, Relationship, TurnState
from worker.enqueue import enqueue_task

TASK = "behaviours.tasks.run"


def owe_runs(stored: StoredTurn) -> None:
    """A run of each asynchronous behaviour, whose condition a worker looks at; nothing where the person has a pause.

    Without behaviours this costs nothing.
    """
    by_kind = stored.configuration.behaviours.by_kind
    if stored.paused or not any(by_kind.values()):
        return
    turn = stored.turn
    if by_kind["priority"]:
        _link_contexts(turn.relationship_id, turn.session, turn.id)
    # A report, as of an agent: nobody spoke, but an entry may follow from it.
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


def owe_next_time(
    relationship_id: UUID, project_id: UUID, name: str, behaviour: Behaviour, *, after: datetime
) -> None:
    """Owe the next time of a schedule, unless one is owed. Call it under the relationship's row lock."""
    open_runs = BehaviourRun.objects.for_relationship(relationship_id).filter(
        behaviour=name, occasion__startswith="at:", state__in=[RunState.PENDING, RunState.WORKING]
    )
    if open_runs.exists():
        return
    timezone = Relationship.objects.values_list("timezone", flat=True).get(id=relationship_id)
    due = min(next_time(expression, after, timezone) for expression in schedules_of(behaviour.when))
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


def schedules_of(condition: Condition) -> list[str]:
    """Every schedule in it."""
    return [part.schedule for part in condition.parts() if part.schedule]


def _link_contexts(relationship_id: UUID, session: str, turn_id: UUID) -> None:
    """What priority behaviours did for contexts of this session was for this turn."""
    runs = BehaviourRun.objects.for_relationship(relationship_id).filter(
        kind="priority", session=session, turn_id=None
    )
    runs.update(turn_id=turn_id)
