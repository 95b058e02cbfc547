"""When a context searches the archive, and why. `decide_gate(gate, request)` asks the configured gates."""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import ClassVar

from memory.retrieval.configuration import Gate
from memory.retrieval.idle_messages import asks_nothing
from relationships.configuration.plugins import load


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a gate may know."""

    message: str
    gate: Gate
    count_turns: Callable[[], int]
    last_message_at: datetime | None
    now: datetime
    names: tuple[str, ...] = ()  # of the two who talk

    @property
    def turns(self) -> int:
        """How many turns the session had before this message. Counted when a gate asks: few do."""
        return self.count_turns()


@dataclass(frozen=True, slots=True)
class GateDecision:
    """Open or closed, with its reason in words that `explain` shows."""

    open: bool
    reason: str


class ContextGate(ABC):
    slug: ClassVar[str]

    @abstractmethod
    def opens(self, request: GateRequest) -> GateDecision:
        """Reads nothing but the request."""


class AlwaysGate(ContextGate):
    """Every context looks into the archive."""

    slug = "always"

    def opens(self, request: GateRequest) -> GateDecision:
        return GateDecision(True, "always")


class ContentGate(ContextGate):
    """Opens when there is something to look up: "haha yeah" asks for nothing (memory/retrieval/idle_messages.py)."""

    slug = "content"

    def opens(self, request: GateRequest) -> GateDecision:
        if asks_nothing(request.message, names=request.names):
            return GateDecision(False, "the message asks nothing")
        return GateDecision(True, "the message says something")


class KeywordsGate(ContextGate):
    """Opens when the message holds one of `gate.keywords`: whole words, in any case, white space as it comes."""

    slug = "keywords"

    def opens(self, request: GateRequest) -> GateDecision:
        match = _pattern(request.gate.keywords).search(request.message)
        if match is None:
            return GateDecision(False, "no keyword")
        return GateDecision(True, f'keyword "{" ".join(match[0].casefold().split())}"')


@lru_cache(maxsize=256)
def _pattern(keywords: tuple[str, ...]) -> re.Pattern[str]:
    """The longest keyword first, so that the reason names it. Without keywords: what matches nowhere."""
    phrases = [_bounded(words) for words in sorted(keywords, key=len, reverse=True) if words.strip()]
    return re.compile("|".join(phrases) or r"(?!)", re.IGNORECASE)


def _bounded(words: str) -> str:
    """A letter at an end must not go on into a longer word; scripts that join words have no such ends."""
    phrase = r"\s+".join(map(re.escape, words.split()))
    letters = words.strip()
    before = r"(?<!\w)" if _ends_a_word(letters[0]) else ""
    after = r"(?!\w)" if _ends_a_word(letters[-1]) else ""
    return f"{before}{phrase}{after}"


def _ends_a_word(sign: str) -> bool:
    return sign.isalnum() and unicodedata.category(sign) != "Lo"


class CadenceGate(ContextGate):
    """Opens at a session's first turn, and then at every `gate.turns`-th."""

    slug = "cadence"

    def opens(self, request: GateRequest) -> GateDecision:
        every = request.gate.turns
        due = request.turns % every == 0
        return GateDecision(due, f"turn {request.turns + 1}, {'one of' if due else 'between'} every {every}")


class GapGate(ContextGate):
    """Opens when `gate.gap_seconds` have passed since the last message, or when there was none."""

    slug = "gap"

    def opens(self, request: GateRequest) -> GateDecision:
        if request.last_message_at is None:
            return GateDecision(True, "no message before")
        gap = max(0.0, (request.now - request.last_message_at).total_seconds())
        return GateDecision(gap >= request.gate.gap_seconds, f"{gap:.0f} s since the last message")


class NeverGate(ContextGate):
    """No context looks into the archive; a search by REST still does."""

    slug = "never"

    def opens(self, request: GateRequest) -> GateDecision:
        return GateDecision(False, "never")


def decide_gate(gate: Gate, request: GateRequest) -> GateDecision:
    """Open when any of `gate.open_on` says so, for the first one's reason; else closed, for all their reasons."""
    reasons = []
    for name in gate.open_on:
        opener: ContextGate = load("GATES", name)()
        decision = opener.opens(request)
        reason = f"{name}: {decision.reason}" if decision.reason != name else name
        if decision.open:
            return GateDecision(True, reason)
        reasons.append(reason)
    return GateDecision(False, "; ".join(reasons) or "nothing opens it")
