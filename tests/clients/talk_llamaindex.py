"""Five turns with a tool of its own, by LlamaIndex."""

import json
import os

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike


def weather(city: str) -> str:
    """The weather in a city."""
    return "sunny"


model = OpenAILike(
    model="ada",
    api_base=os.environ["BASE_URL"],
    api_key=os.environ["KEY"],
    default_headers={"X-Rapport-User": "maya"},
    is_chat_model=True,
    is_function_calling_model=True,
    context_window=100_000,
    max_retries=0,
)
tool = FunctionTool.from_defaults(weather)
history: list[ChatMessage] = []


def answer() -> str:
    last = list(model.stream_chat_with_tools([tool], chat_history=history))[-1]
    history.append(last.message)
    calls = model.get_tool_calls_from_response(last, error_on_no_tool_call=False)
    if not calls:
        return last.message.content or ""
    for call in calls:
        told = str(tool.call(**call.tool_kwargs))
        history.append(
            ChatMessage(role="tool", content=told, additional_kwargs={"tool_call_id": call.tool_id})
        )
    return answer()


for said in json.loads(os.environ["SAID"]):
    history.append(ChatMessage(role="user", content=said))
    print(json.dumps(answer()))
