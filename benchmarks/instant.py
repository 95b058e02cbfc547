"""A model that answers at once: each message of the person becomes one entry.

In the worker's own process it is InstantProvider, and nothing but our pipeline is measured. As `respond` it stands
behind tests.vendor_servers.openai_server in a process of its own, and the vendor's SDK and HTTP are measured too.
"""

import json
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from providers.llm.base import Completion, CompletionRequest, LLMProvider

CONTENT_CHARACTERS = 90
_MESSAGE = re.compile(r"^\[(\d+)\] [^\n(]*\(user\): (.*)$", re.MULTILINE)


class InstantProvider(LLMProvider):
    kind = "instant"
    default_model = "instant"

    def complete(self, request: CompletionRequest) -> Completion:
        assert request.material is not None
        said = [(line.number, line.content) for line in request.material.messages if line.role == "user"]
        return Completion(
            text=json.dumps(operations_for(said)),
            provider=self.alias,
            model=self.default_model,
            prompt_tokens=0,
            output_tokens=0,
            cached_tokens=0,
            milliseconds=0.0,
            cost=Decimal(0),
            finish_reason="stop",
        )


def respond(body: dict[str, Any]) -> dict[str, Any]:
    """The item of tests.vendor_servers.script for a request to chat.completions."""
    prompt = str(body["messages"][-1]["content"]).rpartition("\nNew messages (")[2]
    return {"json": operations_for((int(number), text) for number, text in _MESSAGE.findall(prompt))}


def operations_for(said: Iterable[tuple[int, str]]) -> dict[str, Any]:
    """`said`: the number and words of each message of the person."""
    return {
        "operations": [
            {"op": "add", "type": "event", "content": words[:CONTENT_CHARACTERS], "messages": [number]}
            for number, words in said
        ]
    }
