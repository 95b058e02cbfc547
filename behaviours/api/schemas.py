"""Request and response schemas of the behaviour API, and the functions that fill the responses."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from behaviours.configuration import Behaviour
from behaviours.dry_runs import MOST_TURNS, DryRun
from behaviours.models import BehaviourRun, RunState
from web.fields import DIGITS, Answer, Body, JsonObject, PageQuery, Query


class BehaviourAnswer(Answer):
    name: str
    kind: str
    """priority: before the model; async: after the turn."""
    action: str
    order: int
    enabled: bool
    level: str
    """The highest level of the configuration that sets any part of it."""
    fault: str | None
    """Why it does nothing, if it is incomplete."""
    definition: JsonObject


class RunListQuery(PageQuery):
    behaviour: Annotated[str, Field(max_length=60)] | None = None
    state: RunState | None = None
    """`failed`: given up. Failed webhooks are the dead letters."""
    action: Annotated[str, Field(max_length=10)] | None = None
    turn: UUID | None = None
    hidden: bool = False
    """Include the text of runs about a turn with a hidden message."""


class RunQuery(Query):
    hidden: bool = False
    """Include the text if the run is about a turn with a hidden message."""


class RunAnswer(Answer):
    id: UUID
    behaviour: str
    kind: str
    action: str
    turn: UUID | None
    entries: list[UUID]
    """With a date that the condition `happens` asked for: what it may quote."""
    session: str
    state: RunState
    """pending and working: in progress; done; left_out: a priority behaviour that was late or failed; failed: given up,
    see `error`.
    """
    rendered: str
    """The text, the prompt, or the body of the webhook call."""
    answer: str
    """From the model, or from the URL that was called."""
    outcome: str
    model_calls: list[UUID]
    prompt_tokens: int | None
    output_tokens: int | None
    milliseconds: float | None
    attempts: int
    error_code: str | None
    error: str | None
    recorded_at: datetime
    fired_at: datetime | None
    settled_at: datetime | None
    redacted_at: datetime | None


class DryRunBody(Body):
    behaviour: JsonObject
    """A draft, in the form of the configuration, without its name."""
    last: Annotated[int, Field(ge=1, le=MOST_TURNS)] = 50
    """How many turns to try."""


class TriedTurnAnswer(Answer):
    turn: UUID
    seq: int
    session: str
    occurred_at: datetime
    fires: bool
    reason: str
    rendered: str


class DryRunAnswer(Answer):
    kind: str
    action: str
    fired: int
    turns: list[TriedTurnAnswer]
    """Oldest first."""
    next_times: list[datetime]
    """The next times of a schedule."""


class OutboxQuery(PageQuery):
    acknowledged: bool = False
    """Include acknowledged messages."""
    hidden: bool = False
    """Include messages about a turn with a hidden message, or about a date that was changed or deleted since. Otherwise
    they are neither listed nor streamed.
    """


class OutboxAnswer(Answer):
    id: UUID
    behaviour: str
    run: UUID
    turn: UUID | None
    content: str
    recorded_at: datetime
    acknowledged_at: datetime | None
    redacted_at: datetime | None


class StreamQuery(Query):
    seconds: Annotated[int, Field(ge=0, le=300), DIGITS] = 30
    """How long the stream lasts, at most `RAPPORT_MAX_WAIT_SECONDS`. EventSource reconnects by itself."""


class SecretAnswer(Answer):
    secret: str
    """For a Standard Webhooks library."""


def present_behaviour(name: str, behaviour: Behaviour, level: str) -> dict[str, Any]:
    return BehaviourAnswer.of(
        behaviour,
        name=name,
        level=level,
        fault=behaviour.fault or None,
        definition=behaviour.model_dump(mode="json", exclude_defaults=True, by_alias=True),
    )


def present_run(run: BehaviourRun) -> dict[str, Any]:
    return RunAnswer.of(
        run,
        turn=run.turn_id,
        entries=run.entry_ids,
        model_calls=run.model_call_ids,
        error_code=run.error_code or None,
        error=run.error or None,
    )


def present_dry_run(done: DryRun) -> dict[str, Any]:
    return DryRunAnswer.of(
        done,
        fired=sum(turn.fires for turn in done.turns),
        turns=[TriedTurnAnswer.of(turn, turn=turn.turn_id) for turn in done.turns],
    )
