"""Five turns with a tool of its own, by LangChain's ChatOpenAI."""

import json
import os
from typing import Any

from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool  # type: ignore[untyped-decorator, unused-ignore]
def weather(city: str) -> str:
    """The weather in a city."""
    return "sunny"


model = ChatOpenAI(
    model="ada",
    base_url=os.environ["BASE_URL"],
    api_key=os.environ["KEY"],
    default_headers={"X-Rapport-User": "maya"},
    stream_usage=True,
    max_retries=0,
).bind_tools([weather])
messages: list[Any] = []


def answer() -> str:
    whole: AIMessageChunk | None = None
    for chunk in model.stream(messages):
        whole = chunk if whole is None else whole + chunk
    assert whole is not None and whole.usage_metadata and whole.usage_metadata["total_tokens"]
    messages.append(whole)
    if not whole.tool_calls:
        return str(whole.content)
    for call in whole.tool_calls:
        messages.append(ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"]))
    return answer()


for said in json.loads(os.environ["SAID"]):
    messages.append(HumanMessage(said))
    print(json.dumps(answer()))
