"""Request and response schemas of the session and tool APIs, and the functions that fill the responses."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from web.field_problems import matching, without_nul
from web.fields import DIGITS, NOT_BLANK, Answer, Body, JsonObject, Query
from workspace.gateway.tools import ToolParts
from workspace.models import AgentSession, AgentStep, HeldChange, SessionState, StepState

Sentence = Annotated[str, without_nul(least=1, most=2000), NOT_BLANK]


class AgentSessionStart(Body):
    task: Annotated[str, without_nul(least=1, most=20_000), NOT_BLANK]
    worker: Literal["built_in", "external"] = "built_in"


class AgentSessionFinish(Body):
    summary: Annotated[str, without_nul(most=5000)] = ""
    """What was done. Part of the merge's commit message, and read when hot context is curated."""
    facts: Annotated[list[Sentence], Field(max_length=50)] = []
    """What is worth remembering about the person; handed to memory as a turn."""


class AgentSessionAnswer(Answer):
    id: UUID
    state: SessionState
    worker: Literal["built_in", "external"]
    task: str
    branch: str
    stage: str | None
    """The stage at which a failed session failed."""
    error: str | None
    summary: str
    paused: bool
    steps: int
    tokens: int
    turn: UUID | None
    """The turn that handed its facts to memory."""
    created_at: datetime
    seen_at: datetime
    """Its last sign of life."""
    ended_at: datetime | None


class AgentSessionStartedAnswer(AgentSessionAnswer):
    token: str | None
    """Gives access to this relationship until the session ends. Shown only once; null for a built-in session."""


class AgentStepAnswer(Answer):
    number: int
    tool: str
    arguments: JsonObject
    result: str
    state: StepState
    status: int | None
    """HTTP status of the response to a network call."""
    model: str | None
    tokens: int
    milliseconds: float
    created_at: datetime


class EventsQuery(Query):
    after: Annotated[int, Field(ge=0, le=1_000_000), DIGITS] = 0
    """Only steps after this number."""


class DecisionBody(Body):
    accept: bool


class ToolCallBody(Body):
    input: JsonObject = Field(default_factory=dict)
    approved: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """The number of the step that a person approved."""


class HeldChangeAnswer(Answer):
    id: UUID
    session: UUID
    kind: Literal["conflict", "profile"]
    path: str
    kept_as: str | None
    """Where the session's version is kept."""
    proposal: JsonObject | None
    """The profile that the agent proposes."""
    state: Literal["open", "accepted", "declined"]
    decided_by: str | None
    created_at: datetime
    decided_at: datetime | None


class ToolBody(Body, ToolParts):
    """What a tool does, and where to call it."""


class AgentToolAnswer(Answer):
    name: str
    spec: JsonObject
    updated_at: datetime


class SecretBody(Body):
    value: Annotated[
        str,
        matching(
            r"^[\x20-\x7e]+$", "has a character that a header can't have", min_length=1, max_length=4000
        ),
    ]
    """Stored encrypted, and never shown again."""


class AgentSecretAnswer(Answer):
    name: str
    updated_at: datetime


def present_session(session: AgentSession) -> dict[str, Any]:
    return AgentSessionAnswer.of(
        session, stage=session.stage or None, error=session.error or None, turn=session.turn_id
    )


def present_step(step: AgentStep) -> dict[str, Any]:
    return AgentStepAnswer.of(step, model=step.model or None)


def present_held(held: HeldChange) -> dict[str, Any]:
    return HeldChangeAnswer.of(
        held, session=held.session_id, kept_as=held.kept_as or None, decided_by=held.decided_by or None
    )
