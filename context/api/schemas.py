"""Body and answer of `POST .../context`."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import StringConstraints

from context.answer import AssembledContext, LayerReport
from memory.api.schemas import MessageText
from web.consistency import ConsistencyBody, ReadFromAnswer
from web.fields import Answer, JsonObject, SessionName


class ContextBody(ConsistencyBody):
    message: MessageText | None = None
    """The person's current message, which becomes the last one."""
    session: SessionName | None = None
    """Whose state and recent messages are shown; `current` if left out."""
    config: JsonObject = {}
    """The cascade's highest level, for this context only."""
    format: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """`openai`, `anthropic`, `gemini` or `text`: also return the context in this shape, as `rendered`. If left out,
    the configuration's `context.format` applies; if that names none either, only `system` and `messages` are
    returned.
    """
    explain: bool = False
    """Say of every entry why it is there, and of every configuration value where it comes from."""


class LeftOutAnswer(Answer):
    count: int
    ids: list[str]
    """The first 20 of them."""


class LayerAnswer(Answer):
    name: str
    tokens: int
    """Estimated."""
    milliseconds: float
    sources: list[str]
    """IDs of the entries or messages that are shown."""
    reason: str
    reasons: dict[str, str] | None
    """Why each source is there; only with `explain`."""
    left_out: LeftOutAnswer | None
    """What did not fit into the layer's budget."""


class CapacityAnswer(Answer):
    used: int
    """Tokens of the whole scratchpad, estimated."""
    budget: int
    share: float
    detail: str


class ContextAnswer(ReadFromAnswer):
    relationship: UUID
    session: str
    assembled_at: datetime
    system: str
    messages: list[dict[str, str]]
    format: str | None
    rendered: Any
    """`system` and `messages` in the shape of `format`, ready to send; null without a format."""
    layers: list[LayerAnswer]
    total_tokens: int
    capacity: CapacityAnswer | None
    """Set when the scratchpad takes nine tenths of its soft budget or more."""
    provenance: dict[str, str] | None
    """The level of every configuration value, by dotted path; only with `explain`, and never for a relationship
    token.
    """


def present_context(assembled: AssembledContext) -> dict[str, Any]:
    capacity = assembled.capacity
    return ContextAnswer.of(
        assembled,
        read=None,  # ApiView.answer_by fills it in
        relationship=assembled.relationship_id,
        layers=[_present_layer(report) for report in assembled.layers],
        capacity=capacity and CapacityAnswer.of(capacity),
    )


def _present_layer(report: LayerReport) -> dict[str, Any]:
    left_out = report.left_out
    return LayerAnswer.of(report, left_out=left_out and LeftOutAnswer.of(left_out))
