"""A model that makes one entry of each message of the person, at once, or after 2 s if its name is `after-2s`.

tests.vendor_servers.openai_server serves it in its own process, so that the vendor's SDK and HTTP are measured, too.
"""

import re
from typing import Any

CONTENT_CHARACTERS = 90
_LATE = re.compile(r"after-(\d+)s")
_MESSAGE = re.compile(r"^\[(\d+)\] [^\n(]*\(user\): (.*)$", re.MULTILINE)


def respond(body: dict[str, Any]) -> dict[str, Any]:
    """The item of tests.vendor_servers.script for a request to chat.completions."""
    prompt = str(body["messages"][-1]["content"]).rpartition("\nNew messages (")[2]
    operations = [
        {"op": "add", "type": "event", "content": words[:CONTENT_CHARACTERS], "messages": [int(number)]}
        for number, words in _MESSAGE.findall(prompt)
    ]
    late = _LATE.fullmatch(str(body.get("model")))
    return {"json": {"operations": operations}, "delay": float(late[1]) if late else 0.0}
