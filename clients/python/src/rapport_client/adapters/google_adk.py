"""Google's Agent Development Kit: `RapportMemoryService` is a `BaseMemoryService`. App names are companions' slugs."""

from collections.abc import Mapping, Sequence
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from rapport_client.client import AsyncRapport


class RapportMemoryService(BaseMemoryService):  # type: ignore[misc]
    """Stores sessions as turns, which a worker reads. A search finds what is remembered of them."""

    def __init__(self, client: AsyncRapport, *, top_k: int = 10) -> None:
        self._client, self._top_k = client, top_k

    async def add_session_to_memory(self, session: Session) -> None:
        """Store the session. Calling it again stores only what is new."""
        await self._hand_over(session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        await self._hand_over(app_name, user_id, session_id or "current", events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add each as an entry, as it is."""
        owner = await self._client.relationship(companion=app_name, user=user_id)
        for memory in memories:
            metadata = {**(custom_metadata or {}), **memory.custom_metadata}
            await owner.add(_text(memory.content), metadata=metadata)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        owner = await self._client.relationship(companion=app_name, user=user_id)
        found = await owner.search(query, top_k=self._top_k)
        return SearchMemoryResponse(
            memories=[
                MemoryEntry(
                    id=one["id"],
                    content=Content(parts=[Part(text=one["content"])]),
                    author=one["subject"],
                    timestamp=one["effective_at"],
                    custom_metadata=one["metadata"],
                )
                for one in found
            ]
        )

    async def _hand_over(self, app: str, user: str, session: str, events: Sequence[Event]) -> None:
        owner = await self._client.relationship(companion=app, user=user)
        for event in events:
            text = _text(event.content)
            if text:
                message: Any = {"role": "user" if event.author == "user" else "assistant", "content": text}
                await owner.remember([message], session=session, idempotency_key=f"adk-{event.id}")


def _text(content: Content | None) -> str:
    return "\n".join(part.text for part in (content.parts or []) if part.text) if content else ""
