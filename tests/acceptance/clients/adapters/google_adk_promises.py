"""Run by an interpreter that has google-adk: what BaseMemoryService says of each method."""

import asyncio

from google.adk.events import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import InMemorySessionService
from google.genai.types import Content, Part
from rapport_client import AsyncRapport
from rapport_client.adapters.google_adk import RapportMemoryService


def content(text: str) -> Content:
    return Content(role="user", parts=[Part(text=text)])


async def main() -> None:
    async with AsyncRapport() as rapport:
        memory: BaseMemoryService = RapportMemoryService(rapport)
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="ada", user_id="maya", session_id="s1")
        for author, text in (("user", "I have a cat."), ("ada", "How nice."), ("user", "")):
            await sessions.append_event(session, Event(author=author, content=content(text)))
        for _ in range(3):
            await memory.add_session_to_memory(session)  # "may be added multiple times"
        maya = await rapport.relationship(companion="ada", user="maya")
        said = [one async for one in rapport.items(rapport.messages_list, maya.id)]
        assert sorted((one["role"], one["content"]) for one in said) == [
            ("assistant", "How nice."),
            ("user", "I have a cat."),
        ], said
        assert {one["session"] for one in said} == {"s1"}

        delta = [Event(author="user", content=content("I like rain."))]
        await memory.add_events_to_memory(app_name="ada", user_id="maya", events=delta)
        assert len([one async for one in rapport.items(rapport.messages_list, maya.id)]) == 3

        entry = MemoryEntry(content=content("Plays chess."), custom_metadata={"from": "form"})
        await memory.add_memory(app_name="ada", user_id="tom", memories=[entry])
        found = (await memory.search_memory(app_name="ada", user_id="tom", query="chess")).memories
        assert [one.content.parts[0].text for one in found] == ["Plays chess."]
        assert found[0].custom_metadata == {"from": "form"}
        other = await memory.search_memory(app_name="ada", user_id="noor", query="chess")
        assert other.memories == []  # another person's


asyncio.run(main())
print("whole")
