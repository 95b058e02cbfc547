"""Tries a draft of an ingestion prompt beside the published one, in the worker, and writes nothing but the outcome."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memory.errors import IngestionError, InvalidTemplate
from memory.ingestion.ingestion_input import Instructions
from memory.ingestion.templates import check_instructions
from memory.models import Replay, ReplayState
from memory.providers.errors import ProviderError
from memory.queue.fairness import in_turn_by_project, others_wait
from memory.queue.housekeeping import Duty
from memory.queue.nudge import nudge_replay
from memory.queue.renewal import renewing
from memory.services.model_budgets import require_model_budget
from memory.services.preview import Preview, preview_messages, preview_turns
from memory.services.prompts import find_instructions
from relationships.actor import Actor
from relationships.errors import InvalidInput, NotFound, RapportError
from relationships.ids import uuid7
from relationships.models import Relationship, Turn
from relationships.services.turns import NewMessage

log = structlog.get_logger(__name__)

STEPS = ("published", "draft")
MOST_TURNS = 50
MOST_ATTEMPTS = 3
KEPT = timedelta(days=7)
_NUDGED_AT_ONCE = 20


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
    owned = Turn.objects.for_relationship(relationship.id).filter(id__in=list(turn_ids))
    if owned.count() != len(set(turn_ids)):
        raise InvalidInput.of("turns", "not all of these turns are there")
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
    _nudge(replay)
    return replay


def run_replay(*, relationship_id: UUID, replay_id: UUID) -> None:
    """Do what is left of a replay, if nobody else does. Each step is kept as soon as it is there.

    After a step it gives way to others that wait. Who lost it to another worker keeps nothing.
    """
    replay = _claim(relationship_id, replay_id)
    if replay is None:
        return
    held = _held(replay)
    try:
        for step in STEPS:
            if step in replay.results:
                continue
            with renewing(lambda: bool(held.update(due_at=_lease_end()))):
                replay.results[step] = _read(replay, step)
            held.update(results=replay.results)
            if step != STEPS[-1] and others_wait():
                _give_way(replay)
                return
    except ProviderError as error:
        if not error.permanent and replay.attempts < MOST_ATTEMPTS:
            held.update(due_at=timezone.now() + timedelta(seconds=5 * 2**replay.attempts))
            return
        held.update(state=ReplayState.FAILED, due_at=None, error=str(error))
    except (IngestionError, InvalidTemplate, RapportError) as error:
        held.update(state=ReplayState.FAILED, due_at=None, error=str(error))
    else:
        held.update(state=ReplayState.DONE, due_at=None)
        log.info("replayed a prompt", event_name="replay.done", relationship_id=str(relationship_id))


def replay_duties() -> list[Duty]:
    return [
        Duty("nudge_replays", 10, nudge_owed_replays),
        Duty("drop_replays", 600, drop_old_replays),
    ]


def nudge_owed_replays(now: datetime) -> int:
    """Replays whose nudge was lost, whose worker died, or whose pause is over."""
    due = Replay.objects.filter(due_at__lte=now - timedelta(seconds=2))
    owed = list(in_turn_by_project(due, most=_NUDGED_AT_ONCE))
    for replay in owed:
        if replay.attempts >= MOST_ATTEMPTS:
            rows = Replay.objects.for_relationship(replay.relationship_id).filter(id=replay.id)
            rows.update(state=ReplayState.FAILED, due_at=None, error="Given up: it ended its readers.")
        else:
            _nudge(replay)
    return len(owed)


def _nudge(replay: Replay) -> None:
    nudge_replay(replay.relationship_id, replay.id, project_id=replay.project_id)


def drop_old_replays(now: datetime) -> int:
    dropped, _ = Replay.objects.filter(recorded_at__lt=now - KEPT).delete()
    return dropped


def _held(replay: Replay) -> Any:
    """The replay for as long as it is this worker's: every claim counts an attempt."""
    rows = Replay.objects.for_relationship(replay.relationship_id)
    return rows.filter(id=replay.id, attempts=replay.attempts, due_at__isnull=False)


def _lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


@transaction.atomic
def _give_way(replay: Replay) -> None:
    """It goes on when its turn comes; what is done does not count as an attempt."""
    if _held(replay).update(due_at=timezone.now(), attempts=replay.attempts - 1):
        _nudge(replay)


def _claim(relationship_id: UUID, replay_id: UUID) -> Replay | None:
    now = timezone.now()
    rows = Replay.objects.for_relationship(relationship_id).filter(id=replay_id)
    with transaction.atomic():
        replay: Replay | None = rows.select_for_update(skip_locked=True).filter(due_at__lte=now).first()
        if replay is None:
            return None
        replay.attempts += 1
        rows.update(due_at=_lease_end(), attempts=replay.attempts)
    return replay


def _read(replay: Replay, step: str) -> dict[str, Any]:
    relationship = (
        Relationship.objects.select_related("companion", "project", "user")
        .filter(id=replay.relationship_id)
        .first()
    )
    if relationship is None:
        raise NotFound("This relationship is not there any more.")
    draft = Instructions(None, replay.template)
    instructions = draft if step == "draft" else find_instructions(relationship.companion, None)
    if replay.turn_ids:
        preview = preview_turns(
            relationship=relationship,
            instructions=instructions,
            turn_ids=replay.turn_ids,
            present_entries=replay.present_entries,
        )
    else:
        preview = preview_messages(
            companion=relationship.companion,
            instructions=instructions,
            messages=[NewMessage(line["role"], line["content"]) for line in replay.messages],
            relationship=relationship,
            present_entries=replay.present_entries,
        )
    return _kept(preview, instructions)


def _kept(preview: Preview, instructions: Instructions) -> dict[str, Any]:
    """The outcome of one prompt as JSON: operations with verdicts, the entries there would be, what it took."""
    return {
        "version": instructions.version,
        "operations": [result.as_json() for result in preview.results],
        "entries": [asdict(entry) for entry in preview.entries],
        "prompt_tokens": preview.prompt_tokens,
        "output_tokens": preview.output_tokens,
        "cost": None if preview.cost is None else str(preview.cost),
        "milliseconds": round(preview.milliseconds, 1),
    }
