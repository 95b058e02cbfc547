"""Rows of an archive that stand beside what is remembered: summaries, and what behaviours did."""

from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from relationships.services.limits import message_fault
from upkeep.api.archive_fields import Attempts, Code, Count, Reason, refuse_words
from web.actor import ActorKind
from web.fields import Body, ShortText, Timestamp, wrong_part


class ArchivedSummary(Body):
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
    recorded_at: Timestamp
    made_at: Timestamp | None
    erased_at: Timestamp | None

    @model_validator(mode="after")
    def _says_something_where_it_is_ready(self) -> Self:
        refuse_words(self.erased_at, text=self.text, error=self.error)
        if (self.state == "erased") != (self.erased_at is not None):
            raise wrong_part("erased_at", detail="says when it was erased, and of no other state")
        if self.state == "pending" and self.due_at is None:
            raise wrong_part("due_at", detail="is empty, and a pending one is due at some time")
        if self.text and (fault := message_fault(self.text)):
            raise wrong_part("text", detail=fault)
        return self
