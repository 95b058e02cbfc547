"""What every layer is: one source of text, independent of the others, that says where its text is from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from context.answer import CapacityNote, ChatMessage, LeftOut
from context.facts import Facts
from context.recall import Recall
from memory.entries.happens import named_day_of
from relationships.configuration.schema import Configuration

LISTED = 20  # how many of what was left out are named


@dataclass(frozen=True, slots=True)
class LayerText:
    """What a layer gives: `text` for the system prompt, or `messages` to stand after it.

    `reason` says in a few words why these sources, and `reasons` where one of them has a reason of its own.
    `ends`: of messages that were shortened, how many of their last characters are shown.
    `retrieved`: entries that are there because they were searched for. `least`: tokens without which a budget of the
    whole context had better give it none; of messages, what the last exchange takes.
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


NOTHING = LayerText()


@dataclass(frozen=True, slots=True)
class LayerRequest:
    """What a layer may look at. `message` is the person's current one; `recall` searches for what fits it."""

    facts: Facts
    configuration: Configuration
    message: str | None
    now: datetime
    recall: Recall
    day_is_told: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)
    """Tokens, by layer, where a budget of the whole leaves less."""
    preview: bool = False
    """Nobody is to be answered: a layer that writes, or has a model write, says what it would do instead."""
    conversation: Collection[str] | None = None
    """What the caller shows of it by itself, in place of the recent messages."""

    def with_today(self, intro: str) -> str:
        """The intro, and below it the person's own day, so that a reader can tell what is past; once in a context."""
        if self.day_is_told:
            return intro
        return f"{intro}\nToday is {named_day_of(self.now.timestamp(), self.facts.timezone)}.".lstrip()

    def budget_of(self, layer: "Layer") -> int | None:
        """Tokens the layer may take; None: any number."""
        setting, limit = self.configuration.context.layers.get(layer.name), self.limits.get(layer.name)
        budgets = [tokens for tokens in (setting.budget if setting else None, limit) if tokens is not None]
        return min(budgets, default=None)


class Layer:
    """One source of text. `name` is what the configuration calls it: its slug, or a dotted path.

    One from elsewhere is rendered in a thread, beside the others, and left out where it takes too long
    (context/waiting.py); what it asks of the database, it asks on a connection of its own.
    """

    slug: ClassVar[str]
    tells_days: ClassVar[bool] = False
    """Days stand in its text, which has `with_today` in it."""
    weight: ClassVar[int] = 0
    """Its part of a budget of the whole context, beside the others'. 0: the budget never cuts it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, request: LayerRequest) -> None:
        """Have begun what this layer will wait for outside of here, so that the layers wait side by side."""

    def render(self, request: LayerRequest) -> LayerText:
        """The text for this request, within `request.budget_of(self)`; `NOTHING` when there is none."""
        raise NotImplementedError


def left_out(names: Sequence[str]) -> LeftOut | None:
    """The note on what a budget did not let in; None when that is nothing."""
    return LeftOut(len(names), names[:LISTED]) if names else None
