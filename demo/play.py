"""Plays a conversation through REST, turn by turn, and returns what each turn changed."""

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

WAIT_SECONDS = 5  # then check for trouble, and wait again
STUCK_SECONDS = 300.0  # the service retries for longer; the demo says so and ends
# Errors that last until a person corrects a setting, so waiting is useless.
_BLOCKING = {ProviderMisconfigured.code, *(kind.code for kind in ProviderMisconfigured.__subclasses__())}
_PAUSE_SECONDS = 0.2  # if the service had no room for a waiter and answered at once


@dataclass(frozen=True, slots=True)
class Change:
    """One change by a turn. `kind`: a revision's event, `held` or `refused`.

    `before`: the text that was replaced; `reason`: why it was refused.
    """

    kind: str
    type: str
    content: str
    before: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A settled turn: its `state` is applied, skipped or failed."""

    number: int
    turn: NewTurn
    state: str
    error: str
    changes: Sequence[Change]


@dataclass(slots=True)
class Usage:
    """The model calls so far. `cost` in USD; None if it is unknown for some."""

    calls: set[str] = field(default_factory=set)
    tokens: int = 0
    cost: float | None = 0.0

    def add(self, call: dict[str, Any]) -> None:
        """Count a call. Every turn of a batch lists it, but it counts once."""
        if call["id"] in self.calls:
            return
        self.calls.add(call["id"])
        self.tokens += (call["prompt_tokens"] or 0) + (call["output_tokens"] or 0)
        if self.cost is not None:
            self.cost = None if call["cost"] is None else self.cost + float(call["cost"])


class Player:
    """Sends turns and waits for each. `ahead`: how many turns may be sent in advance, so that they are read together.

    `trouble`: called with the reason if a turn is retried.
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
        self._ids: list[str] = []  # of the turns sent so far
        self._contents: dict[str, str] = {}  # each entry's last text
        self.usage = Usage()

    def play(self) -> Iterator[PlayedTurn]:
        """Yield each turn when it is settled. Raises DemoFailed."""
        for place, turn in enumerate(self._turns):
            if len(self._ids) <= place + self._ahead // 2:  # in blocks, so that they are read together
                self._hand_over_ahead(place)
            trace = self._landed(place)
            yield PlayedTurn(place + 1, turn, trace["state"], trace["error"], self._changes(trace))

    def _hand_over_ahead(self, place: int) -> None:
        for next_one in range(len(self._ids), min(place + self._ahead, len(self._turns))):
            self._ids.append(self._hand_over(next_one)["id"])

    def _hand_over(self, place: int, *, wait: int = 0) -> dict[str, Any]:
        """Send a turn, or wait for one that was sent: its idempotency key makes the service recognise it."""
        return self._rest.post(
            f"{self._path}/turns", turn_body(self._turns[place]), idempotency_key=f"turn-{place}", wait=wait
        )

    def _landed(self, place: int) -> dict[str, Any]:
        """Wait until a turn is settled; return its trace."""
        if len(self._ids) == place:
            self._ids.append(self._hand_over(place, wait=WAIT_SECONDS)["id"])
        until = time.monotonic() + STUCK_SECONDS
        while True:
            trace = self._rest.get(
                f"{self._path}/turns/{self._ids[place]}", hidden="true"
            )  # including hidden texts
            if trace["state"] not in {TurnState.PENDING, TurnState.PROCESSING}:
                return trace
            if trace["error_code"] in _BLOCKING or time.monotonic() > until:
                raise DemoFailed(_stuck(place + 1, trace))
            self._report_trouble(place + 1, trace["error"])
            self._wait(place)

    def _report_trouble(self, number: int, error: str) -> None:
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
    """A refused operation, in the model's own words."""
    asked = judged["operation"] if isinstance(judged["operation"], dict) else {}
    said = asked.get("content") or asked.get("value") or f"{asked.get('op') or 'an operation'}"
    return Change("refused", str(asked.get("type") or ""), str(said), reason=judged["reason"] or "")


def turn_body(turn: NewTurn) -> dict[str, Any]:
    """The body of POST .../turns."""
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
        "Once that is fixed, run make demo again."
    )
