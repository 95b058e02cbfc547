"""Five turns with a tool of its own, by OpenAI's Agents SDK as it is: by Responses, streamed."""

import asyncio
import json
import os
from typing import Any

from agents import Agent, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
set_default_openai_client(
    AsyncOpenAI(
        base_url=os.environ["BASE_URL"],
        api_key=os.environ["KEY"],
        default_headers={"X-Rapport-User": "maya"},
        max_retries=0,
    )
)


def weather(city: str) -> str:
    """The weather in a city."""
    return "sunny"


async def talk(lines: list[str]) -> None:
    agent = Agent(name="Ada", instructions="Be brief.", model="ada", tools=[function_tool(weather)])
    said: list[Any] = []
    for line in lines:
        result = Runner.run_streamed(agent, [*said, {"role": "user", "content": line}])
        async for _ in result.stream_events():
            pass
        said = result.to_input_list()
        print(json.dumps(result.final_output))


asyncio.run(talk(json.loads(os.environ["SAID"])))
