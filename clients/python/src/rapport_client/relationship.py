"""One person with one companion, by what is mostly done with it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rapport_client.generated import models as m

if TYPE_CHECKING:
    from rapport_client.client import AsyncRapport, Rapport

WAIT = 30  # seconds that one request waits for a turn, at most; less where too many wait already
AT_ONCE = 200  # entries that one request may bring


def _messages(said: str | Sequence[m.MessageBody]) -> Sequence[m.MessageBody]:
    return [{"role": "user", "content": said}] if isinstance(said, str) else said


@dataclass(frozen=True)
class Relationship:
    client: "Rapport"
    id: str

    def remember(
        self, said: str | Sequence[m.MessageBody], *, wait: float = 0, **turn: Any
    ) -> m.TurnAnswer | m.TurnTraceAnswer:
        """Hand over what was said, for the worker to keep what is worth it. With `wait`, the settled turn, or
        TimeoutError after so many seconds. `turn`: as `turns_create` takes it.
        """
        until = time.monotonic() + wait
        sent = self.client.turns_create(self.id, messages=_messages(said), wait=min(WAIT, int(wait)), **turn)
        if wait and sent["state"] not in ("applied", "skipped", "failed"):
            return self.client.wait(self.id, sent["id"], timeout=until - time.monotonic())
        return sent

    def add(self, content: str, *, type: str = "other", **entry: Any) -> m.EntryAnswer:
        """Write one entry as it stands, without a model."""
        return self.client.entries_create(self.id, content=content, type=type, **entry)

    def add_all(self, entries: Sequence[m.EntryBody]) -> list[m.EntryAnswer]:
        """Write many as they stand, 200 with a request: of each request all or none."""
        return [
            entry
            for start in range(0, len(entries), AT_ONCE)
            for entry in self.client.entries_create_bulk(self.id, entries=entries[start : start + AT_ONCE])[
                "items"
            ]
        ]

    def context(self, message: str | None = None, **asked: Any) -> m.ContextAnswer:
        """What a model is to be shown before it replies to `message`."""
        if message is not None:
            asked["message"] = message
        return self.client.context_build(self.id, **asked)

    def search(self, query: str, **asked: Any) -> list[m.EntryHitAnswer]:
        return self.client.entries_search(self.id, query=query, **asked)["items"]

    def entries(self, **filters: Any) -> list[m.EntryAnswer]:
        """All of them, active if not said otherwise, newest first."""
        return list(self.client.items(self.client.entries_list, self.id, **{"limit": 200, **filters}))


@dataclass(frozen=True)
class AsyncRelationship:
    client: "AsyncRapport"
    id: str

    async def remember(
        self, said: str | Sequence[m.MessageBody], *, wait: float = 0, **turn: Any
    ) -> m.TurnAnswer | m.TurnTraceAnswer:
        until = time.monotonic() + wait
        sent = await self.client.turns_create(
            self.id, messages=_messages(said), wait=min(WAIT, int(wait)), **turn
        )
        if wait and sent["state"] not in ("applied", "skipped", "failed"):
            return await self.client.wait(self.id, sent["id"], timeout=until - time.monotonic())
        return sent

    async def add(self, content: str, *, type: str = "other", **entry: Any) -> m.EntryAnswer:
        return await self.client.entries_create(self.id, content=content, type=type, **entry)

    async def add_all(self, entries: Sequence[m.EntryBody]) -> list[m.EntryAnswer]:
        written = []
        for start in range(0, len(entries), AT_ONCE):
            sent = await self.client.entries_create_bulk(self.id, entries=entries[start : start + AT_ONCE])
            written += sent["items"]
        return written

    async def context(self, message: str | None = None, **asked: Any) -> m.ContextAnswer:
        if message is not None:
            asked["message"] = message
        return await self.client.context_build(self.id, **asked)

    async def search(self, query: str, **asked: Any) -> list[m.EntryHitAnswer]:
        return (await self.client.entries_search(self.id, query=query, **asked))["items"]

    async def entries(self, **filters: Any) -> list[m.EntryAnswer]:
        asked = {"limit": 200, **filters}
        return [entry async for entry in self.client.items(self.client.entries_list, self.id, **asked)]
