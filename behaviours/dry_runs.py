"""Tries a behaviour, or a draft of one, on past turns, without asking a model or sending anything.

Profile, session state and held deletions are today's; messages, times and entries are the turn's.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby, islice
from typing import Any
from uuid import UUID

import orjson
from django.utils import timezone
from pydantic import ValidationError

from behaviours.actions import type_fault
from behaviours.conditions import holds
from behaviours.configuration import Behaviour
from behaviours.moments import TurnMoment, dated_entries, variables_of
from behaviours.owed import schedules_of
from behaviours.schedule import times_after
from memory.entries.happens import day_of
from memory.ingestion.configuration import Ingestion
from memory.ingestion.templates import render_instructions
from relationships.models import Relationship, Turn
from relationships.services.configuration import configuration_of
from web.errors import InvalidInput, RapportError
from web.field_problems import field_problems

MOST_TURNS = 200
MOST_SECONDS = 5
TIMES = 5  # of a schedule that are listed


@dataclass(frozen=True, slots=True)
class TriedTurn:
    """`rendered`: the text, prompt or message; "" if it does nothing. `reason`: why it does nothing."""

    turn_id: UUID
    seq: int
    session: str
    occurred_at: datetime
    fires: bool
    reason: str
    rendered: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """`next_times`: for a behaviour on a schedule, which has no turns."""

    kind: str
    action: str
    turns: list[TriedTurn]
    next_times: list[datetime]


def read_draft(draft: Mapping[str, Any], *, inside: str) -> Behaviour:
    """Parse a draft. Raises InvalidInput, with field names below `inside`."""
    try:
        behaviour = Behaviour.model_validate_json(orjson.dumps(draft), strict=True)
    except ValidationError as error:
        problems = field_problems(error, draft)
        raise InvalidInput.naming(
            [type(line)(f"{inside}.{line.field}", line.detail) for line in problems]
        ) from None
    if behaviour.fault:
        raise InvalidInput.of(inside, behaviour.fault)
    return behaviour


def dry_run(*, relationship: Relationship, behaviour: Behaviour, last: int) -> DryRun:
    """Try the last turns, oldest first. Load `relationship` with its companion and user.

    Raises InvalidInput if they take too long.
    """
    if behaviour.is_scheduled:
        return DryRun(behaviour.kind, behaviour.action, [], _next_times(behaviour, relationship.timezone))
    rows = Turn.objects.for_relationship(relationship.id).order_by("-seq")[: min(last, MOST_TURNS)]
    tried, fired_at = [], None
    told: dict[str, set[UUID]] = {}  # the entries it came back to, by day
    ends_at = time.monotonic() + MOST_SECONDS
    for turn in reversed(rows):
        if time.monotonic() > ends_at:
            raise InvalidInput.of("last", f"are too many to try in {MOST_SECONDS} s; try fewer turns")
        today = told.setdefault(day_of(turn.occurred_at.timestamp(), relationship.timezone), set())
        moment = TurnMoment(relationship, turn, told_today=today if behaviour.kind == "async" else ())
        ingestion = configuration_of(relationship, turn=turn.config).values.ingestion
        fires, reason = _would_fire(behaviour, moment, turn, fired_at, ingestion)
        if fires:
            fired_at = turn.occurred_at
            today.update(entry.id for entry in dated_entries(moment, behaviour.when))
        rendered = _rendered(behaviour, moment) if fires else ""
        tried.append(TriedTurn(turn.id, turn.seq, turn.session, turn.occurred_at, fires, reason, rendered))
    return DryRun(behaviour.kind, behaviour.action, tried, [])


def _would_fire(
    behaviour: Behaviour, moment: TurnMoment, turn: Turn, fired_at: datetime | None, ingestion: Ingestion
) -> tuple[bool, str]:
    if turn.error_code == "paused":
        return False, "the person had a pause"
    if not holds(behaviour.when, moment):
        return False, "its condition does not hold"
    rest = timedelta(minutes=behaviour.cooldown_minutes)
    if fired_at is not None and turn.occurred_at - fired_at < rest:
        return False, "it is cooling down"
    if fault := type_fault(behaviour, ingestion):
        return False, fault
    return True, ""


def _rendered(behaviour: Behaviour, moment: TurnMoment) -> str:
    whole = {
        "text": behaviour.text,
        "message": behaviour.message,
        "ask": behaviour.ask and behaviour.ask.prompt,
        "prompt": behaviour.prompt and behaviour.prompt.prompt,
        "webhook": behaviour.webhook and behaviour.webhook.text,
    }[behaviour.action]
    try:
        return render_instructions(whole or "", variables_of(moment, behaviour))
    except RapportError as error:
        return f"(can't be rendered: {error.detail})"


def _next_times(behaviour: Behaviour, zone: str) -> list[datetime]:
    """The first of all its schedules together, each once."""
    now = timezone.now()
    times = merge(*(times_after(expression, now, zone) for expression in schedules_of(behaviour.when)))
    return [moment for moment, _ in islice(groupby(times), TIMES)]
