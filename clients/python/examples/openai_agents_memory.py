"""An agent whose conversation is kept by Rapport. Needs rapport-client[openai-agents], RAPPORT_URL and RAPPORT_API_KEY.

The model is scripted, so that this runs anywhere: leave `model` out for OpenAI's.
"""

import asyncio

from agents import Agent, Runner
from agents.testing import ScriptedModel, assistant_message
from rapport_client import Rapport
from rapport_client.adapters.openai_agents import RapportSession


async def main() -> None:
    model = ScriptedModel([[assistant_message("How lovely!")], [assistant_message("In Lisbon.")]])
    agent = Agent(name="ada", model=model)
    with Rapport() as rapport:
        session = RapportSession("phone", rapport, companion="ada", user="maya")
        await Runner.run(agent, "I moved to Lisbon last week.", session=session)
        await Runner.run(agent, "Where do I live?", session=session)
        for item in model.calls[-1].input:  # what the model was shown: the whole conversation
            print(item)


asyncio.run(main())
