"""A nudge: "there is something to do for this relationship". What there is to do, the rows say."""

from uuid import UUID

from django_q.tasks import async_task


def nudge(relationship_id: UUID) -> None:
    """Have a worker drain the relationship as soon as the present transaction commits; rolled back, nothing
    stays.
    """
    async_task("memory.tasks.drain", str(relationship_id))


def nudge_embedding(relationship_id: UUID) -> None:
    """The same for the vectors that the relationship's texts owe."""
    async_task("memory.tasks.embed", str(relationship_id))


def nudge_task(task: str, row_id: UUID) -> None:
    """The same for a row of another app, which owes something: `task` is the dotted path of what takes its ID."""
    async_task(task, str(row_id))


def nudge_replay(relationship_id: UUID, replay_id: UUID) -> None:
    """Have a worker try a draft of an ingestion prompt."""
    async_task("memory.tasks.replay", str(relationship_id), str(replay_id))
