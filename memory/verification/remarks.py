"""What is no problem, and worth knowing: turns that wait because nobody is there to read them."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from memory.queue.condition import read_condition
from relationships.models import Turn, TurnState


def remarks(
    *, now: datetime, project_id: UUID | None, relationship_id: UUID | None, examples: int | None
) -> Iterator[str]:
    """None while a worker lives. `examples`: how many turns are named; None: all."""
    condition = read_condition()
    if any(worker.alive for worker in condition.workers):
        return
    waiting = condition.turns.due + condition.turns.retrying + condition.turns.processing
    if waiting:
        yield f"No worker is running, and {waiting} turns wait for one: start it (manage.py worker)."
    # no damage: it is the first that the next worker's sweep looks for
    held = Turn.objects.filter(state=TurnState.PROCESSING, lease_until__lt=now)
    if project_id is not None:
        held = held.filter(relationship__project_id=project_id)
    if relationship_id is not None:
        held = held.filter(relationship_id=relationship_id)
    named = held.order_by("relationship_id", "seq").values_list("relationship_id", "id")[:examples]
    if count := held.count():
        yield "\n".join(
            [
                f"{count} turns were in the hands of a worker that is gone. The next one takes them back by itself:",
                *(f"    {owner}  {id}" for owner, id in named),
                *(
                    [f"    and {count - examples} more; --all names them"]
                    if examples and examples < count
                    else []
                ),
            ]
        )
