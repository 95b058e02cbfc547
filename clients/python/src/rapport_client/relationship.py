"""One person paired with one companion, with the most common operations."""

import time
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from rapport_client.errors import ProblemError
from rapport_client.generated import models as m
from rapport_client.generated import options as o
from rapport_client.sending import UNSET, Event, Id, Maybe, dump, in_parts

if TYPE_CHECKING:
    from rapport_client.client import AsyncRapport, Rapport

WAIT = 30  # seconds that one request waits for a turn, at most; less if too many requests wait already
AT_ONCE, BYTES_AT_ONCE = 200, 1_000_000  # entries and bytes of one request; a body may have 1 MiB


def _messages(said: str | Sequence[m.MessageBody]) -> Sequence[m.MessageBody]:
    return [{"role": "user", "content": said}] if isinstance(said, str) else said


def _parts(entries: Iterable[m.EntryBody]) -> Iterator[list[m.EntryBody]]:
    return in_parts(entries, most=AT_ONCE, room=BYTES_AT_ONCE, size_of=lambda entry: len(dump(entry)) + 1)


@contextmanager
def _numbering_from(first: int) -> Iterator[None]:
    """Make an error name a refused entry by its position among all entries, not in its request."""
    try:
        yield
    except ProblemError as error:
        raise error.numbered_from(first) from None


@dataclass(frozen=True)
class Relationship:
    """`id`: the relationship's ID, for the operations that have no method here: `client.history_list(maya.id)`."""

    client: "Rapport"
    id: str

    def remember(
        self, said: str | Sequence[m.MessageBody], *, wait: float = 0, **turn: Unpack[o.TurnsCreate]
    ) -> m.TurnAnswer | m.TurnTraceAnswer:
        """Send what was said; the worker keeps what is worth remembering.

        With `wait`, return the settled turn; TimeoutError is raised if it is not settled after this many seconds.
        """
        until = time.monotonic() + wait
        sent = self.client.turns_create(self.id, messages=_messages(said), wait=min(WAIT, int(wait)), **turn)
        if wait and sent["state"] not in ("applied", "skipped", "failed"):
            return self.client.wait(self.id, sent["id"], timeout=until - time.monotonic())
        return sent

    def context(self, message: str | None = None, **asked: Unpack[o.ContextBuild]) -> m.ContextAnswer:
        """Build what a model should be shown before it replies to `message`."""
        return self.client.context_build(self.id, message=UNSET if message is None else message, **asked)

    def search(self, query: str, **asked: Unpack[o.EntriesSearch]) -> list[m.EntryHitAnswer]:
        return self.client.entries_search(self.id, query=query, **asked)["items"]

    def entries(self, **filters: Unpack[o.EntriesList]) -> list[m.EntryAnswer]:
        """Return all entries, newest first; only active ones, unless the filters say otherwise."""
        filters.setdefault("limit", 200)
        return list(self.client.items(self.client.entries_list, self.id, **filters))

    def add(self, content: str, *, type: str = "other", **entry: Unpack[o.EntriesCreate]) -> m.EntryAnswer:
        """Add one entry as it is, without a model."""
        return self.client.entries_create(self.id, content=content, type=type, **entry)

    def add_all(self, entries: Iterable[m.EntryBody]) -> list[m.EntryAnswer]:
        """Add any number of entries as they are, up to 200 per request. Each request adds all of its entries or none.

        An error names a refused entry by its position among all; the entries of earlier requests are added.
        """
        written = list[m.EntryAnswer]()
        for part in _parts(entries):
            with _numbering_from(len(written)):
                written += self.client.entries_create_bulk(self.id, entries=part)["items"]
        return written

    def change(self, entry_id: Id, **changes: Unpack[o.EntriesChange]) -> m.EntryAnswer:
        """Change an entry. With `if_match`, the version that was read, Stale is raised if it has another by now."""
        return self.client.entries_change(self.id, entry_id, **changes)

    def delete(self, entry_id: Id, *, permanent: bool = False) -> m.EntryAnswer | m.ErasedEntryAnswer:
        """Delete an entry; `restore` brings it back. `permanent`: erase it, with every copy."""
        return self.client.entries_delete(self.id, entry_id, permanent=permanent)

    def restore(self, entry_id: Id) -> m.EntryAnswer:
        return self.client.entries_restore(self.id, entry_id)

    def forget(self, what: str, **asked: Unpack[o.RelationshipsForget]) -> m.PlanAnswer:
        """Forget what entries and messages say about this, in the person's own words, as a plan that can be undone."""
        return self.client.relationships_forget(self.id, what=what, **asked)

    def correct(self, what: str, to: str, **asked: Unpack[o.RelationshipsCorrect]) -> m.PlanAnswer:
        """Correct the entry that says `what`, in the person's own words."""
        return self.client.relationships_correct(self.id, what=what, to=to, **asked)

    def events(self, *, after: Maybe[str] = UNSET) -> Generator[Event, None, None]:
        """See `Rapport.events`."""
        return self.client.events(self.id, after=after)

    def outbox(self, *, after: Maybe[str] = UNSET) -> Generator[Event, None, None]:
        """See `Rapport.outbox`."""
        return self.client.outbox(self.id, after=after)


@dataclass(frozen=True)
class AsyncRelationship:
    client: "AsyncRapport"
    id: str

    async def remember(
        self, said: str | Sequence[m.MessageBody], *, wait: float = 0, **turn: Unpack[o.TurnsCreate]
    ) -> m.TurnAnswer | m.TurnTraceAnswer:
        until = time.monotonic() + wait
        sent = await self.client.turns_create(
            self.id, messages=_messages(said), wait=min(WAIT, int(wait)), **turn
        )
        if wait and sent["state"] not in ("applied", "skipped", "failed"):
            return await self.client.wait(self.id, sent["id"], timeout=until - time.monotonic())
        return sent

    async def context(self, message: str | None = None, **asked: Unpack[o.ContextBuild]) -> m.ContextAnswer:
        return await self.client.context_build(
            self.id, message=UNSET if message is None else message, **asked
        )

    async def search(self, query: str, **asked: Unpack[o.EntriesSearch]) -> list[m.EntryHitAnswer]:
        return (await self.client.entries_search(self.id, query=query, **asked))["items"]

    async def entries(self, **filters: Unpack[o.EntriesList]) -> list[m.EntryAnswer]:
        filters.setdefault("limit", 200)
        return [entry async for entry in self.client.items(self.client.entries_list, self.id, **filters)]

    async def add(
        self, content: str, *, type: str = "other", **entry: Unpack[o.EntriesCreate]
    ) -> m.EntryAnswer:
        return await self.client.entries_create(self.id, content=content, type=type, **entry)

    async def add_all(self, entries: Iterable[m.EntryBody]) -> list[m.EntryAnswer]:
        written = list[m.EntryAnswer]()
        for part in _parts(entries):
            with _numbering_from(len(written)):
                written += (await self.client.entries_create_bulk(self.id, entries=part))["items"]
        return written

    async def change(self, entry_id: Id, **changes: Unpack[o.EntriesChange]) -> m.EntryAnswer:
        return await self.client.entries_change(self.id, entry_id, **changes)

    async def delete(self, entry_id: Id, *, permanent: bool = False) -> m.EntryAnswer | m.ErasedEntryAnswer:
        return await self.client.entries_delete(self.id, entry_id, permanent=permanent)

    async def restore(self, entry_id: Id) -> m.EntryAnswer:
        return await self.client.entries_restore(self.id, entry_id)

    async def forget(self, what: str, **asked: Unpack[o.RelationshipsForget]) -> m.PlanAnswer:
        return await self.client.relationships_forget(self.id, what=what, **asked)

    async def correct(self, what: str, to: str, **asked: Unpack[o.RelationshipsCorrect]) -> m.PlanAnswer:
        return await self.client.relationships_correct(self.id, what=what, to=to, **asked)

    def events(self, *, after: Maybe[str] = UNSET) -> AsyncGenerator[Event, None]:
        return self.client.events(self.id, after=after)

    def outbox(self, *, after: Maybe[str] = UNSET) -> AsyncGenerator[Event, None]:
        return self.client.outbox(self.id, after=after)
