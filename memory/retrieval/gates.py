"""Decide whether a context searches the archive, and say why. `decide_gate` asks the configured gates."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from memory.names import attaches
from memory.occurrences import Places
from memory.retrieval.configuration import Gate
from memory.retrieval.idle_messages import asks_nothing
from relationships.configuration.plugins import load


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a gate may use."""

    message: str
    gate: Gate
    count_turns: Callable[[], int]
    last_message_at: datetime | None
    now: datetime
    names: tuple[str, ...] = ()  # of the two who talk

    @property
    def turns(self) -> int:
        """The number of turns in the session before this message. Counted only if a gate needs it."""
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
        """Decide by the request alone."""


class AlwaysGate(ContextGate):
    """Every context searches the archive."""

    slug = "always"

    def opens(self, request: GateRequest) -> GateDecision:
        return GateDecision(True, "always")


class ContentGate(ContextGate):
    """Opens if there is something to search for: not for "haha yeah" (memory/retrieval/idle_messages.py)."""

    slug = "content"

    def opens(self, request: GateRequest) -> GateDecision:
        if asks_nothing(request.message, names=request.names):
            return GateDecision(False, "the message asks nothing")
        return GateDecision(True, "the message says something")


class KeywordsGate(ContextGate):
    """Opens if the message contains one of `gate.keywords`: whole words, in any case, with any white space."""

    slug = "keywords"

    def opens(self, request: GateRequest) -> GateDecision:
        keywords = sorted(set(filter(None, map(_plain, request.gate.keywords))), key=len, reverse=True)
        said, longest = _plain(request.message), max(map(len, keywords), default=0)
        starts = [at for at in range(len(said)) if not _in_word(said[at - 1 : at])]
        anywhere, beginning = (Places(said, longest=longest, places=places) for places in (None, starts))
        for words in keywords:
            places = beginning if _is_bounded(words[0]) else anywhere
            if places.have(words, unless=_in_word if _is_bounded(words[-1]) else lambda sign: False):
                return GateDecision(True, f'keyword "{words}"')
        return GateDecision(False, "no keyword")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _is_bounded(sign: str) -> bool:
    """Return whether words that begin or end with it are looked for as whole words."""
    return sign.isalnum() and not attaches(sign)


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
    """No context searches the archive; searches by REST still do."""

    slug = "never"

    def opens(self, request: GateRequest) -> GateDecision:
        return GateDecision(False, "never")


def decide_gate(gate: Gate, request: GateRequest) -> GateDecision:
    """Open if any gate in `gate.open_on` is, with the first one's reason; otherwise closed, with all reasons."""
    reasons = []
    for name in gate.open_on:
        opener: ContextGate = load("GATES", name)()
        decision = opener.opens(request)
        reason = f"{name}: {decision.reason}" if decision.reason != name else name
        if decision.open:
            return GateDecision(True, reason)
        reasons.append(reason)
    return GateDecision(False, "; ".join(reasons) or "nothing opens it")
