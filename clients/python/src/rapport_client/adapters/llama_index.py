"""LlamaIndex: `RapportMemoryBlock` for `Memory.from_defaults(memory_blocks=[...])`."""

from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr

from rapport_client.client import AsyncRapport

ROLES = {"user": "user", "assistant": "assistant", "chatbot": "assistant", "model": "assistant"}


class RapportMemoryBlock(BaseMemoryBlock[str]):  # type: ignore[misc]
    """Adds the context for the last message, and stores messages that leave the short-term memory as turns."""

    name: str = Field(default="rapport")
    companion: str
    user: str
    _client: AsyncRapport = PrivateAttr()

    def __init__(self, client: AsyncRapport, **fields: Any) -> None:
        super().__init__(**fields)
        self._client = client

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        owner = await self._client.relationship(companion=self.companion, user=self.user)
        asked = [one.content for one in messages or [] if one.role.value == "user" and one.content]
        context = await owner.context(asked[-1] if asked else None)
        return context["system"]

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Store one turn per session, which LlamaIndex names in each message."""
        owner = await self._client.relationship(companion=self.companion, user=self.user)
        sessions: dict[str, list[Any]] = {}
        for one in messages:
            role = ROLES.get(one.role.value)
            if role and one.content:
                session = str(one.additional_kwargs.get("session_id") or "current")
                sessions.setdefault(session, []).append({"role": role, "content": one.content})
        for session, said in sessions.items():
            await owner.remember(said, session=session)
