"""What an assembled context is, and what it says about itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypedDict
from uuid import UUID


class ChatMessage(TypedDict):
    """One message for the model: `role` is user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a layer's budget did not let in: how many, and the IDs or names of the first of them."""

    count: int
    ids: Sequence[str]


class LayerReport(NamedTuple):
    """What a layer put in. `sources`: IDs of entries or messages; `reasons`: why each is there (explain).

    `text` and `messages`: what it said, as it stands in the context. `ends`: of messages that were shortened, how many
    of their last characters that is.
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


@dataclass(frozen=True, slots=True)
class CapacityNote:
    """The scratchpad nears its soft budget or is past it: `used` of `budget` tokens, `share` their ratio."""

    used: int
    budget: int
    share: float
    detail: str


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """What the model is shown before a reply. `rendered`: `system` and `messages` in `format`, where one is wanted."""

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
    budget: int | None = None  # tokens that it may take, with what no budget cuts
