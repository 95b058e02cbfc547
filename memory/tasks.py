"""The tasks of the queue. What they are about is in the rows, so one may be lost, doubled or late."""

from threading import BoundedSemaphore
from uuid import UUID

from django.conf import settings

from memory.ingestion.pipeline import drain_relationship
from memory.ingestion.replays import run_replay
from memory.retrieval.index.embed import embed_owed
from worker.identity import worker_identity
from worker.readers import task

# Of a process's readers, those that may embed at once: others must be left for turns if the embedder hangs.
_embedding = BoundedSemaphore(max(1, settings.READERS * 3 // 4))


@task
def drain(relationship_id: UUID) -> None:
    """Do what is due in the relationship."""
    drain_relationship(relationship_id=relationship_id, worker=worker_identity())


@task
def embed(relationship_id: UUID) -> None:
    """Embed what the relationship owes. What was taken falls due when its lease ends, and what is not taken because too
    many readers embed is found by the sweep.
    """
    if _embedding.acquire(blocking=False):
        try:
            embed_owed(relationship_id=relationship_id)
        finally:
            _embedding.release()


@task
def replay(relationship_id: UUID, replay_id: UUID) -> None:
    """Try a draft of an ingestion prompt. What was taken falls due when its lease ends."""
    run_replay(relationship_id=relationship_id, replay_id=replay_id)
