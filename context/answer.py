"""The assembled context, and its report on each layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

from context.passages import Part


class ChatMessage(TypedDict):
    """One message for the model: `role` is user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What didn't fit a layer's budget: how many, and the IDs or names of the first of them."""

    count: int
    ids: Sequence[str]


class LayerReport(NamedTuple):
    """A report on one layer. `sources`: IDs of entries or messages; `reasons`: why each is there (explain).

    `text` and `messages` are what the layer contributed. `ends`: for messages that were shortened, how many of their
    last characters are shown; `parts`: for those that were shortened to a passage, where it begins and ends.
    """

    name: str
    tokens: int
    milliseconds: float
    sources: Sequence[str]
    reason: str
    left_out: LeftOut | None
    reasons: Mapping[str, str] | None
    text: str = ""
    messages: Sequence[ChatMessage] = ()
    ends: Mapping[str, int] | None = None
    parts: Mapping[str, Part] | None = None


@dataclass(frozen=True, slots=True)
class CapacityNote:
    """The scratchpad is close to its soft budget or over it: `used` of `budget` tokens; `share` is the ratio."""

    used: int
    budget: int
    share: float
    detail: str


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """What the model is shown before a reply. `rendered`: `system` and `messages` in `format`, if there is one."""

    system: str
    messages: list[ChatMessage]
    layers: list[LayerReport]
    total_tokens: int
    capacity: CapacityNote | None
    format: str | None
    rendered: Any
    provenance: Mapping[str, str] | None  # level of every configuration value, by dotted path (explain)
    relationship_id: UUID
    session: str
    assembled_at: datetime
    budget: int | None = None  # tokens for the whole, including layers that are never cut
