"""A list of entries that the offline provider maintains, numbered as ingestion shows them, without a database."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from providers.llm.base import (
    CompletionRequest,
    NumberedEntry,
    NumberedMessage,
    PromptData,
)
from providers.llm.offline import OfflineProvider

TYPES = ("identity", "preference", "goal", "event", "relationship", "other")
THURSDAY = datetime(2026, 11, 26, 10, 0, tzinfo=UTC)
PROVIDER = OfflineProvider(alias="offline")


@dataclass
class Scratchpad:
    """Give it what is said; `contents` is what it then remembers, in the order in which it was learnt."""

    known: Sequence[NumberedEntry] = ()
    timezone: str = "Europe/Lisbon"
    types: tuple[str, ...] = TYPES
    user_name: str = "Maya"
    entries: list[NumberedEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.entries = list(self.known)

    @property
    def contents(self) -> list[str]:
        return [entry.content for entry in self.entries]

    def hear(self, *said: str, at: datetime = THURSDAY) -> list[dict[str, Any]]:
        """Read messages of the person together and apply them; return the operations."""
        return self.take([("user", text) for text in said], at=at)

    def take(self, said: Sequence[tuple[str, str]], *, at: datetime = THURSDAY) -> list[dict[str, Any]]:
        """Read (role, text) messages together and apply them; return the operations."""
        messages = tuple(
            NumberedMessage(number, role, self.user_name if role == "user" else "Ada", text, at)
            for number, (role, text) in enumerate(said, start=1)
        )
        prompt_data = PromptData(tuple(self.entries), messages, self.timezone, self.types, self.user_name)
        completion = PROVIDER.complete(CompletionRequest("", "", None, prompt_data))
        operations: list[dict[str, Any]] = json.loads(completion.text)["operations"]
        self._apply(operations, at)
        return operations

    def _apply(self, operations: list[dict[str, Any]], at: datetime) -> None:
        by_number: dict[int | None, NumberedEntry] = {entry.number: entry for entry in self.entries}
        for operation in operations:
            entry = by_number.get(operation.get("entry"))
            if operation["op"] == "add":
                by_number[-len(by_number) - 1] = NumberedEntry(
                    0, operation["type"], operation["subject"], operation["content"], operation.get("key"), at
                )
            elif operation["op"] == "update" and entry:
                by_number[entry.number] = NumberedEntry(
                    0, entry.type, entry.subject, operation["content"], entry.key, at
                )
            elif entry:
                del by_number[entry.number]
        self.entries = [
            replace(each, number=number) for number, each in enumerate(by_number.values(), start=1)
        ]


def entry(content: str, type: str = "other", subject: str = "user", **more: Any) -> NumberedEntry:
    """A known entry. Its number comes from its place in the list (see `known`)."""
    return NumberedEntry(1, type, subject, content, **more)


def known(*entries: NumberedEntry) -> tuple[NumberedEntry, ...]:
    """Number entries in order."""
    return tuple(replace(each, number=number) for number, each in enumerate(entries, start=1))


def remembered(said: str | Sequence[str], *entries: NumberedEntry) -> list[str]:
    """What is remembered after a person with these known entries has said this."""
    pad = Scratchpad(known(*entries))
    pad.hear(*([said] if isinstance(said, str) else said))
    return pad.contents
