"""Memory of an ADK app. Needs rapport-client[google-adk], RAPPORT_URL and RAPPORT_API_KEY."""

import asyncio

from google.adk.events import Event
from google.adk.sessions import InMemorySessionService
from google.genai.types import Content, Part
from rapport_client import AsyncRapport
from rapport_client.adapters.google_adk import RapportMemoryService


async def main() -> None:
    async with AsyncRapport() as rapport:
        memory = RapportMemoryService(rapport)
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="ada", user_id="maya")
        said = Content(role="user", parts=[Part(text="I moved to Lisbon last week.")])
        await sessions.append_event(session, Event(author="user", content=said))
        await memory.add_session_to_memory(session)
        for _ in range(300):  # a worker reads it meanwhile
            found = await memory.search_memory(app_name="ada", user_id="maya", query="Lisbon")
            if found.memories:
                break
            await asyncio.sleep(0.1)
        print(*(part.text for one in found.memories for part in one.content.parts))


asyncio.run(main())
