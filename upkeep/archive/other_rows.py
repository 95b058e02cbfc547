"""Rows of an archive besides entries and turns: summaries, runs of behaviours, and an agent's files."""

from base64 import b64decode
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from django.conf import settings
from pydantic import Field, model_validator

from relationships.services.limits import message_fault
from upkeep.archive.fields import Attempts, CallText, Code, Count, Erasable, Milliseconds, Past, Reason
from web.actor import ActorKind
from web.field_problems import matching
from web.fields import Body, SessionName, ShortText, Timestamp, wrong_part
from workspace.errors import HotContextTooLong
from workspace.generated import made_elsewhere
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.hot_context import hot_context_text
from workspace.paths import path_fault


class ArchivedSummary(Erasable):
    texts = ("text", "error")
    erased = "erased_at"
    id: UUID
    messages: Annotated[Count, Field(ge=1)]
    version: Annotated[Count, Field(ge=1)]
    state: Literal["pending", "ready", "failed", "hidden", "erased"]
    text: str
    extends: UUID | None
    model_call_ids: list[UUID]
    actor_kind: Annotated[ActorKind, Field(strict=False)]
    actor_id: ShortText
    due_at: Timestamp | None
    attempts: Attempts
    error_code: Code
    error: Reason
    recorded_at: Past
    made_at: Past | None
    erased_at: Past | None

    @model_validator(mode="after")
    def _says_something_where_it_is_ready(self) -> Self:
        if (self.state == "erased") != (self.erased_at is not None):
            raise wrong_part("erased_at", detail="says when it was erased, and of no other state")
        if self.state == "pending" and self.due_at is None:
            raise wrong_part("due_at", detail="is empty, and a pending one is due at some time")
        if self.text and (fault := message_fault(self.text)):
            raise wrong_part("text", detail=fault)
        return self


class ArchivedBehaviourRun(Erasable):
    texts = ("rendered", "answer", "outcome", "error")
    id: UUID
    behaviour: Code
    kind: Literal["priority", "async"]
    action: Annotated[str, Field(max_length=10)]
    occasion: Annotated[
        str, matching(r"^(turn|context|at|on):[0-9A-Za-z:.+-]{1,50}$", "is no occasion of a run")
    ]
    turn_id: UUID | None
    entry_ids: list[UUID] = []
    session: SessionName
    state: Literal["pending", "done", "left_out", "failed"]
    rendered: CallText
    answer: CallText
    outcome: Reason
    model_call_ids: list[UUID]
    prompt_tokens: Count | None
    output_tokens: Count | None
    milliseconds: Milliseconds | None
    due_at: Timestamp | None
    attempts: Attempts
    error_code: Code
    error: Reason
    recorded_at: Past
    fired_at: Past | None
    settled_at: Past | None
    redacted_at: Past | None

    @model_validator(mode="after")
    def _has_an_occasion(self) -> Self:
        if self.turn_id is None and self.kind == "async" and not _is_time(self.occasion):
            raise wrong_part("occasion", detail="is no time of a schedule, and there is no turn")
        return self


def content_of(row: Mapping[str, Any]) -> bytes:
    """Decode a file's content. Raises ValueError for invalid base64."""
    content: str = row["content"]
    return b64decode(content, validate=True) if row["encoding"] == "base64" else content.encode()


class ArchivedFile(Body):
    """A file of the agent's workspace, as main has it."""

    path: str
    content: str
    encoding: Literal["utf-8", "base64"] = "utf-8"
    executable: bool = False

    @model_validator(mode="after")
    def _can_be_kept(self) -> Self:
        if fault := path_fault(self.path):
            raise wrong_part("path", detail=fault)
        if source := made_elsewhere(self.path):
            raise wrong_part("path", detail=f"is made from {source}: leave it out")
        try:
            content = content_of(vars(self))
        except ValueError:
            raise wrong_part("content", detail="is no base64, as encoding says") from None
        if self.path == HOT_CONTEXT:
            try:
                hot_context_text(content)
            except HotContextTooLong as error:
                raise wrong_part("content", detail=error.problems[0].detail) from None
        if (size := len(content)) > settings.MAX_FILE_BYTES:
            raise wrong_part("content", detail=f"has {size} bytes; {settings.MAX_FILE_BYTES} are kept")
        return self


def _is_time(occasion: str) -> bool:
    try:
        return datetime.fromisoformat(occasion.partition(":")[2]).tzinfo is not None
    except ValueError:
        return False


class ArchivedOutboxMessage(Erasable):
    texts = ("content",)
    id: UUID
    run_id: UUID
    behaviour: Code
    turn_id: UUID | None
    rests_on_reply: bool = True
    content: CallText
    recorded_at: Past
    acknowledged_at: Past | None
    redacted_at: Past | None
