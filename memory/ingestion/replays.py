"""Try a draft of an ingestion prompt against the published one, in a worker. Only the outcome is written."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memory.errors import IngestionError, InvalidTemplate
from memory.ingestion.ingestion_input import Instructions, find_instructions
from memory.ingestion.preview import preview_prompt, refuse_too_long
from memory.ingestion.templates import check_instructions
from memory.models import Replay, ReplayState
from providers.errors import ProviderError
from relationships.ids import uuid7
from relationships.models import Relationship, Turn
from relationships.services.limits import message_fault
from relationships.services.model_budgets import require_model_budget
from relationships.services.rows import require
from relationships.services.turns import NewMessage
from web.actor import Actor
from web.errors import InvalidInput, RapportError
from worker.enqueue import enqueue_task
from worker.fairness import others_wait
from worker.identity import worker_identity
from worker.leases import keeping
from worker.models import QueuedQuerySet
from worker.models.queued import WORKER_DIED
from worker.owed_rows import OwedRows

log = structlog.get_logger(__name__)

TASK = "memory.tasks.replay"
STEPS = ("published", "draft")
MOST_TURNS = 50
MOST_ATTEMPTS = 3
KEPT = timedelta(days=7)
_ENQUEUED_AT_ONCE = 20


@transaction.atomic
def request_replay(
    *,
    relationship: Relationship,
    template: str,
    by: Actor,
    turn_ids: Sequence[UUID] = (),
    messages: Sequence[NewMessage] = (),
    present_entries: bool = False,
) -> Replay:
    """Have a worker read turns, or a pasted conversation, by the published prompt and by `template`.

    Raises InvalidTemplate, InvalidInput, BudgetSpent.
    """
    check_instructions(template)
    require_model_budget(relationship.project_id)
    if not turn_ids and not messages:
        raise InvalidInput.of("turns", "choose at least one, or paste a conversation")
    if len(turn_ids) > MOST_TURNS:
        raise InvalidInput.of("turns", f"choose at most {MOST_TURNS}")
    _refuse_too_much(messages)
    owned = Turn.objects.for_relationship(relationship.id).filter(id__in=list(turn_ids))
    if owned.count() != len(set(turn_ids)):
        raise InvalidInput.of("turns", "not all of these turns are there")
    refuse_too_long(relationship.id, turn_ids)
    replay = Replay.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        id=uuid7(),
        template=template,
        turn_ids=list(turn_ids),
        messages=[{"role": line.role, "content": line.content} for line in messages],
        present_entries=present_entries,
        due_at=timezone.now(),
        requested_by=by.id,
    )
    _enqueue(replay)
    return replay


def _refuse_too_much(messages: Sequence[NewMessage]) -> None:
    """Raises InvalidInput if a pasted conversation is no turn that would be accepted."""
    count, most = len(messages), settings.MAX_MESSAGES_PER_TURN
    if count > most:
        raise InvalidInput.of("messages", f"are {count:,}; paste at most {most:,}")
    for message in messages:
        if fault := message_fault(message.content):
            raise InvalidInput.of("messages", f"have one that {fault}")


def run_replay(*, relationship_id: UUID, replay_id: UUID) -> None:
    """Do what is left of a replay, if no other worker does. Each step's result is stored at once.

    After a step it gives way to waiting tasks. A worker that lost its lease stores nothing.
    """
    rows = Replay.objects.for_relationship(relationship_id).filter(id=replay_id)
    replay = rows.claim_one(worker=worker_identity())
    if replay is None:
        return
    held = replay.held_row()
    try:
        for step in STEPS:
            if step in replay.results:
                continue
            with keeping(replay):
                replay.results[step] = _read(replay, step)
            replay.attempts = 0
            held.update(results=replay.results, attempts=0, error_code="")
            if step != STEPS[-1] and others_wait():
                with transaction.atomic():
                    if held.release(due_at=timezone.now()):
                        _enqueue(replay)  # to continue it
                return
    except ProviderError as error:
        tries = replay.attempts + 1
        if error.permanent or tries >= MOST_ATTEMPTS:
            _fail(held, replay, code=error.code, error=str(error))
        else:
            pause = timedelta(seconds=5 * 2**tries)
            held.release(due_at=timezone.now() + pause, counted=True, code=error.code)
    except (IngestionError, InvalidTemplate, RapportError) as error:
        _fail(held, replay, code=error.code, error=str(error))
    else:
        held.settle(state=ReplayState.DONE, error="")
        log.info("replayed a prompt", event_name="replay.done", relationship_id=str(relationship_id))


def _give_up(replay: Replay) -> None:
    row = Replay.objects.for_relationship(replay.relationship_id).filter(id=replay.id)
    _fail(row, replay, code=WORKER_DIED, error="Given up: it ended its readers.")


def _fail(row: QueuedQuerySet, replay: Replay, *, code: str, error: str) -> None:
    if row.settle(state=ReplayState.FAILED, error=error, error_code=code):
        told = {"code": code, "relationship_id": str(replay.relationship_id)}
        log.warning("a draft of a prompt could not be tried", event_name="replay.failed", **told)


enqueue_owed_replays = OwedRows(
    model=Replay,
    task=TASK,
    ids=["relationship_id", "id"],
    give_up=_give_up,
    tries=MOST_ATTEMPTS,
    most=_ENQUEUED_AT_ONCE,
)


def _enqueue(replay: Replay) -> None:
    enqueue_task(TASK, replay.relationship_id, replay.id, project_id=replay.project_id)


def drop_old_replays(now: datetime) -> int:
    dropped, _ = Replay.objects.filter(recorded_at__lt=now - KEPT).delete()
    return dropped


def _read(replay: Replay, step: str) -> dict[str, Any]:
    """The outcome of one prompt as JSON: operations with verdicts, the resulting entries, tokens, time and cost."""
    pairs = Relationship.objects.select_related("companion", "project", "user")
    relationship: Relationship = require(pairs.filter(id=replay.relationship_id), "relationship")
    draft = Instructions(None, replay.template)
    instructions = draft if step == "draft" else find_instructions(relationship.companion)
    preview = preview_prompt(
        relationship=relationship,
        instructions=instructions,
        turn_ids=replay.turn_ids,
        messages=[NewMessage(line["role"], line["content"]) for line in replay.messages],
        present_entries=replay.present_entries,
    )
    return {
        "version": preview.prompt_version,
        "operations": [result.as_json() for result in preview.results],
        "entries": preview.entries,
        "prompt_tokens": preview.prompt_tokens,
        "output_tokens": preview.output_tokens,
        "cost": None if preview.cost is None else str(preview.cost),
        "milliseconds": round(preview.milliseconds, 1),
    }
