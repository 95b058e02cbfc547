"""Five turns with a tool of its own, by OpenAI's SDK for Python and its Responses: each call sends only what is new."""

import json
import os
from typing import Any

import openai

client = openai.OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"], max_retries=0)
WEATHER: Any = {
    "type": "function",
    "name": "weather",
    "description": "The weather in a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    "strict": False,
}
previous: str | None = None


def answer(new: list[Any]) -> str:
    global previous
    asked: Any = {"model": "ada", "user": "maya", "input": new, "tools": [WEATHER]}
    if previous is not None:
        asked["previous_response_id"] = previous
    with client.responses.stream(**asked) as stream:
        for _ in stream:
            pass
        response = stream.get_final_response()
    previous = response.id
    assert client.responses.retrieve(response.id).output_text == response.output_text
    calls = [item for item in response.output if item.type == "function_call"]
    results = [{"type": "function_call_output", "call_id": call.call_id, "output": "sunny"} for call in calls]
    return answer(results) if results else response.output_text


for line in json.loads(os.environ["SAID"]):
    print(json.dumps(answer([{"role": "user", "content": line}])))
