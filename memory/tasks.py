"""The tasks of the queue. What they are about is in the rows, so one may be lost, doubled or late.

None ever fails, so that django-q2 keeps nothing about it.
"""

import time
import traceback
from datetime import UTC, datetime
from uuid import UUID

import structlog
from django.db import Error as DatabaseError
from django.db import connection
from django_q.exceptions import TimeoutException

from memory.ingestion.pipeline import drain_relationship
from memory.ingestion.replays import run_replay
from memory.retrieval.index.embed import embed_owed
from relationships.models import Turn
from worker.identity import worker_identity
from worker.worker_stats import stop_requested

log = structlog.get_logger(__name__)

CRASHES = (Exception, TimeoutException)
_RELEASE_SECONDS, _PAUSE_SECONDS = 60.0, 0.5


def drain(relationship_id: str) -> None:
    """Do what is due in the relationship. A turn that this process still holds after a crash is handed back, as nobody
    else would take it for dead.
    """
    if stop_requested():
        return
    try:
        drain_relationship(relationship_id=UUID(relationship_id), worker=worker_identity())
    except CRASHES as error:
        log.error(
            "draining a relationship crashed",
            event_name="queue.drain.crashed",
            relationship=relationship_id,
            **kind_and_place(error),
        )
        _hand_back()


def embed(relationship_id: str) -> None:
    """Embed what the relationship owes. What this process had taken falls due when its lease ends."""
    if stop_requested():
        return
    try:
        embed_owed(relationship_id=UUID(relationship_id))
    except CRASHES as error:
        log.error(
            "embedding crashed",
            event_name="queue.embed.crashed",
            relationship=relationship_id,
            **kind_and_place(error),
        )
        connection.close()


def replay(relationship_id: str, replay_id: str) -> None:
    """Try a draft of an ingestion prompt. What this process had taken falls due when its lease ends."""
    if stop_requested():
        return
    try:
        run_replay(relationship_id=UUID(relationship_id), replay_id=UUID(replay_id))
    except CRASHES as error:
        log.error(
            "a replay crashed",
            event_name="queue.replay.crashed",
            relationship=relationship_id,
            **kind_and_place(error),
        )
        connection.close()


def kind_and_place(error: BaseException) -> dict[str, str]:
    """What the log may say of a crash: the error's own text may quote a person."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    return {"error_class": type(error).__name__, "frames": frames}


def _hand_back() -> None:
    """Release the turns that this process holds, waiting for a database that is away: there is nothing better to do."""
    until = time.monotonic() + _RELEASE_SECONDS
    while True:
        try:
            connection.close()
            Turn.objects.held().filter(leased_by=worker_identity()).release(due_at=datetime.now(UTC))
        except DatabaseError:
            if time.monotonic() > until:
                return  # the lease has its limit
            time.sleep(_PAUSE_SECONDS)
        else:
            return
