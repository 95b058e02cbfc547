"""A LlamaIndex memory with a block of Rapport. Needs rapport-client[llama-index], RAPPORT_URL and RAPPORT_API_KEY."""

import asyncio

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from rapport_client import AsyncRapport
from rapport_client.adapters.llama_index import RapportMemoryBlock


async def main() -> None:
    async with AsyncRapport() as rapport:
        maya = await rapport.relationship(companion="ada", user="maya")
        await maya.add("Is allergic to peanuts.", type="preference")
        block = RapportMemoryBlock(rapport, companion="ada", user="maya")
        memory = Memory.from_defaults(session_id="phone", memory_blocks=[block])
        await memory.aput(ChatMessage(role="user", content="What should I cook tonight?"))
        for message in await memory.aget():
            print(message.content)


asyncio.run(main())
