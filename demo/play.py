"""Plays a conversation through REST, one turn after the other, and tells what each turn changed."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from demo.errors import DemoFailed
from demo.rest import Rest
from providers.errors import ProviderMisconfigured
from relationships.models import TurnState
from relationships.services.turns import NewMessage, NewTurn

WAIT_SECONDS = 5  # then we look whether there is trouble, and wait again
STUCK_SECONDS = 300.0  # a provider that is away is tried again for longer than this; we say so and leave
# Trouble that goes on until a person mends a setting: nothing to wait for.
_BLOCKING = {ProviderMisconfigured.code, *(kind.code for kind in ProviderMisconfigured.__subclasses__())}
_PAUSE_SECONDS = 0.2  # when the service had no place for a waiter and answered at once


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a turn did to memory. `kind`: a revision's event, `held` or `refused`.

    `before`: the text it replaced; `reason`: why it was refused.
    """

    kind: str
    type: str
    content: str
    before: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn as it ended: `state` applied, skipped, failed, or still pending when we gave up waiting."""

    number: int
    turn: NewTurn
    state: str
    error: str
    changes: Sequence[Change]


@dataclass(slots=True)
class Usage:
    """What the model calls took so far. `cost` in USD; None: unknown for some."""

    calls: set[str] = field(default_factory=set)
    tokens: int = 0
    cost: float | None = 0.0

    def add(self, call: dict[str, Any]) -> None:
        """Count a call once, although every turn of its batch shows it."""
        if call["id"] in self.calls:
            return
        self.calls.add(call["id"])
        self.tokens += (call["prompt_tokens"] or 0) + (call["output_tokens"] or 0)
        if self.cost is not None:
            self.cost = None if call["cost"] is None else self.cost + float(call["cost"])


class Player:
    """Hands turns over and waits for each. With `ahead`, up to so many wait at a time and are read together.

    `trouble` hears why a turn has to be tried again.
    """

    def __init__(
        self,
        rest: Rest,
        relationship_id: UUID | str,
        turns: Sequence[NewTurn],
        *,
        ahead: int = 0,
        trouble: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._trouble, self._last_trouble = trouble, ""
        self._rest, self._path = rest, f"/relationships/{relationship_id}"
        self._turns, self._ahead = turns, ahead
        self._ids: list[str] = []  # of the turns handed over so far
        self._contents: dict[str, str] = {}  # what each entry said last
        self.usage = Usage()

    def play(self) -> Iterator[PlayedTurn]:
        """Each turn as it lands. Raises DemoFailed."""
        for place, turn in enumerate(self._turns):
            if len(self._ids) <= place + self._ahead // 2:  # in blocks, or they would be read one by one
                self._hand_over_ahead(place)
            trace = self._landed(place)
            yield PlayedTurn(place + 1, turn, trace["state"], trace["error"], self._changes(trace))

    def _hand_over_ahead(self, place: int) -> None:
        for next_one in range(len(self._ids), min(place + self._ahead, len(self._turns))):
            self._ids.append(self._hand_over(next_one)["id"])

    def _hand_over(self, place: int, *, wait: int = 0) -> dict[str, Any]:
        """Send a turn. With its key it can be sent again, to wait for it: the service knows it as the same."""
        return self._rest.post(
            f"{self._path}/turns", turn_body(self._turns[place]), idempotency_key=f"turn-{place}", wait=wait
        )

    def _landed(self, place: int) -> dict[str, Any]:
        """The trace of a turn, once it is settled."""
        if len(self._ids) == place:
            self._ids.append(self._hand_over(place, wait=WAIT_SECONDS)["id"])
        until = time.monotonic() + STUCK_SECONDS
        while True:
            trace = self._rest.get(f"{self._path}/turns/{self._ids[place]}", hidden="true")  # with what went
            if trace["state"] not in {TurnState.PENDING, TurnState.PROCESSING}:
                return trace
            if trace["error_code"] in _BLOCKING or time.monotonic() > until:
                raise DemoFailed(_stuck(place + 1, trace))
            self._tell(place + 1, trace["error"])
            self._wait(place)

    def _tell(self, number: int, error: str) -> None:
        if error and error != self._last_trouble:
            self._trouble(f"turn {number} is tried again: {error}")
        self._last_trouble = error

    def _wait(self, place: int) -> None:
        began = time.monotonic()
        answer = self._hand_over(place, wait=WAIT_SECONDS)
        unsettled = answer["state"] in {TurnState.PENDING, TurnState.PROCESSING}
        if unsettled and time.monotonic() - began < _PAUSE_SECONDS:
            time.sleep(_PAUSE_SECONDS)

    def _changes(self, trace: dict[str, Any]) -> list[Change]:
        for call in trace["calls"]:
            self.usage.add(call)
        changes = [self._change(line) for line in trace["remembered"] or ()]
        held = [judged for judged in trace["operations"] if judged["verdict"] == "held"]
        changes += [Change("held", "", self._contents.get(judged["entry_id"], "")) for judged in held]
        return changes + [
            _refused(judged) for judged in trace["operations"] if judged["verdict"] == "refused"
        ]

    def _change(self, line: dict[str, Any]) -> Change:
        content = line["content"] or ""
        before = self._contents.get(line["entry_id"], "")
        self._contents[line["entry_id"]] = content
        return Change(line["event"], line["type"] or "", content, before if before != content else "")


def _refused(judged: dict[str, Any]) -> Change:
    """In the model's own words, whatever it wrote."""
    asked = judged["operation"] if isinstance(judged["operation"], dict) else {}
    said = asked.get("content") or asked.get("value") or f"{asked.get('op') or 'an operation'}"
    return Change("refused", str(asked.get("type") or ""), str(said), reason=judged["reason"] or "")


def turn_body(turn: NewTurn) -> dict[str, Any]:
    """A turn as POST .../turns takes it."""
    return {
        "messages": [_message_body(message) for message in turn.messages],
        "session": turn.session,
        "occurred_at": turn.occurred_at.isoformat(),
    }


def _message_body(message: NewMessage) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.content, "speaker": message.speaker}
    if message.occurred_at is not None:
        body["occurred_at"] = message.occurred_at.isoformat()
    return body


def _stuck(number: int, trace: dict[str, Any]) -> str:
    reason = trace["error"].rstrip(".") or f"it is {trace['state']} after {STUCK_SECONDS:g} s"
    return (
        f"Turn {number} is not remembered yet: {reason}. It is stored, and the worker tries it again by itself. "
        "Once that is mended, make demo again."
    )
