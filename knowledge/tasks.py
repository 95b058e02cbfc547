"""The queue's task. What it is about is in the document's row, so it may be lost, doubled or late."""

from uuid import UUID

from knowledge.pipeline import process_document
from worker.identity import worker_identity
from worker.readers import task


@task
def process(document_id: UUID) -> None:
    """Do what the document owes. What was taken falls due when its lease ends."""
    process_document(document_id=document_id, worker=worker_identity())
