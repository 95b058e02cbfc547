"""Run by an interpreter that has llama-index-core: a block inside its Memory, flushed and read as Memory does it."""

import asyncio

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from rapport_client import AsyncRapport
from rapport_client.adapters.llama_index import RapportMemoryBlock


async def main() -> None:
    async with AsyncRapport() as rapport:
        block = RapportMemoryBlock(rapport, companion="ada", user="maya")
        memory = Memory.from_defaults(
            session_id="phone",
            token_limit=60,
            chat_history_token_ratio=0.5,
            token_flush_size=20,
            memory_blocks=[block],
        )
        for number in range(12):
            await memory.aput(
                ChatMessage(role="user", content=f"My lucky number is {number}, as I said before.")
            )
            await memory.aput(ChatMessage(role="assistant", content="I see, thank you for telling me."))
        maya = await rapport.relationship(companion="ada", user="maya")
        said = [one async for one in rapport.items(rapport.messages_list, maya.id)]
        assert said, "nothing that left the short-term memory was handed over"
        assert {one["session"] for one in said} == {"phone"}
        texts = [one["content"] for one in said if one["role"] == "user"]
        assert len(texts) == len(set(texts)), texts
        await maya.add("Is allergic to peanuts.")
        told = await memory.aget()
        assert any("peanuts" in (message.content or "") for message in told), told

        tom = RapportMemoryBlock(rapport, companion="ada", user="tom")
        assert "peanuts" not in await tom.aget([ChatMessage(role="user", content="What can I eat?")])


asyncio.run(main())
print("whole")
