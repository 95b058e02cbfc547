"""The base class of layers: independent sources of text that name the rows their text comes from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from context.answer import CapacityNote, ChatMessage, LeftOut
from context.facts import Facts
from context.passages import Part
from context.recall import Recall
from memory.entries.happens import named_day_of
from relationships.configuration.schema import Configuration

LISTED = 20  # how many of the things left out are named


@dataclass(frozen=True, slots=True)
class LayerText:
    """What a layer contributes: `text` for the system prompt, or `messages` after it.

    `reason` says in a few words why these sources were chosen, `reasons` the same for single ones.
    `ends`: for messages that were shortened, how many of their last characters are shown; `parts`: for those that were
    shortened to a passage, where it begins and ends.
    `retrieved`: entries that were found by a search. `least`: the fewest tokens that are of use when the context's
    budget is divided; of messages, those of the last exchange.
    """

    text: str = ""
    messages: Sequence[ChatMessage] = ()
    sources: Sequence[str] = ()
    reason: str = ""
    reasons: Mapping[str, str] | None = None
    left_out: LeftOut | None = None
    capacity: CapacityNote | None = None
    retrieved: Sequence[str] = ()
    least: int = 0
    ends: Mapping[str, int] | None = None
    parts: Mapping[str, Part] | None = None


NOTHING = LayerText()


@dataclass(frozen=True, slots=True)
class LayerRequest:
    """What a layer may use. `message` is the person's current one; `recall` searches for what is related to it."""

    facts: Facts
    configuration: Configuration
    message: str | None
    now: datetime
    recall: Recall
    day_is_told: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)
    """Tokens by layer, where the context's budget leaves it fewer than its own."""
    preview: bool = False
    """There will be no reply: a layer that would write something, or call a language model, only says so."""
    stored: bool = True
    """If not, the exchange is not to be kept: a layer writes nothing."""
    conversation: Collection[str] | None = None
    """The messages that the caller shows the model itself, in place of the recent messages."""

    def with_today(self, intro: str) -> str:
        """Add the person's current date to the intro, so that a model can tell what is past. Once per context."""
        if self.day_is_told:
            return intro
        return f"{intro}\nToday is {named_day_of(self.now.timestamp(), self.facts.timezone)}.".lstrip()

    def budget_of(self, layer: "Layer") -> int | None:
        """How many tokens the layer may take; None: any number."""
        setting, limit = self.configuration.context.layers.get(layer.name), self.limits.get(layer.name)
        budgets = [tokens for tokens in (setting.budget if setting else None, limit) if tokens is not None]
        return min(budgets, default=None)


class Layer:
    """One source of text. `name` is its name in the configuration: a slug, or a dotted path.

    A layer from a plugin is rendered in a thread of its own, with its own database connection, and left out if it
    takes too long (context/waiting.py).
    """

    slug: ClassVar[str]
    tells_days: ClassVar[bool] = False
    """Its text contains dates, so its intro is made by `with_today`."""
    weight: ClassVar[int] = 0
    """Its share of the context's budget, relative to the other layers'. 0: the budget never cuts it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, request: LayerRequest) -> None:
        """Start what this layer will wait for, such as an embedder, so that the layers wait at the same time."""

    def render(self, request: LayerRequest) -> LayerText:
        """Return the text for this request, within `request.budget_of(self)`, or `NOTHING`."""
        raise NotImplementedError


def left_out(names: Sequence[str]) -> LeftOut | None:
    """The note on what didn't fit a budget; None if everything did."""
    return LeftOut(len(names), names[:LISTED]) if names else None
