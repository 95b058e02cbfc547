"""Five turns with a tool of its own, by OpenAI's SDK for Python."""

import json
import os
from typing import Any

import openai

client = openai.OpenAI(
    base_url=os.environ["BASE_URL"],
    api_key=os.environ["KEY"],
    default_headers={"X-Rapport-User": "maya"},
    max_retries=0,
)
WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
messages: list[Any] = []


def answer() -> str:
    with client.chat.completions.stream(model="ada", messages=messages, tools=[WEATHER]) as stream:
        said = stream.get_final_completion().choices[0].message
    messages.append(said.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
    for call in said.tool_calls or ():
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny"})
    return answer() if said.tool_calls else str(said.content)


for line in json.loads(os.environ["SAID"]):
    messages.append({"role": "user", "content": line})
    print(json.dumps(answer()))
