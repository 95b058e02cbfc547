"""The answers of a vendor's server, one item per request, and what it was asked.

An item is a dict, so that it can also be sent over HTTP. Without one the server answers with the smallest value
that fits the schema, or an echo. If a function must be called, `json` has its arguments, and `text` is said instead
of the call.

    the answer   json: value      text: str
                 calls: [value]   the function is called with each; a str is sent as it is, JSON or not
    its shape    fenced: true     prose and a Markdown fence around it
                 think: str       thoughts before it (a <think> block, or Gemini's thought part)
                 answer_in: str   OpenAI: in this field of the message, `content` stays empty
                 truncate: n      only its first n characters, finished for length
                 finish: str      the vendor's own finish reason
                 blocked: str     the prompt is refused by a filter, for this reason
                 refusal: str     OpenAI: the model refuses in these words
                 empty: true      no candidates, no choices
                 usage: {}        instead of counted tokens
                 model: str       the model that says that it answered
    embeddings   vectors: [[n]]   instead of those of the texts
                 encoding: str    OpenAI: `float` or `base64`, whatever was asked for
                 numbers: [n]     OpenAI: which text each vector says that it is for
    tools        tool_calls: [{name, arguments, extra_content}] OpenAI: these functions are called
    a stream     pieces: [str]    the parts of the text; without them, its words
                 pause: seconds   between any two of its events
                 stall: n         nothing more after n events, until the server stops
                 break: n         the connection ends after n events
                 error: n         an error in their place after n events
                 no_finish: true  it ends without a finish reason
    a failure    status: n        with message, code, param, reason, retry_after (header),
                                   retry_delay (Gemini: "3s")
                 raw: str         exactly this body, with content_type and status (or 200)
                 redirect: url
                 drop: true       close the socket without a word; "body": amid one; "reset": hard
    when         delay: seconds   before answering
                 drip: seconds    between any two bytes of the body;  drip_head: true  of the head as well
                 match: str       only for a request that says this (in its prompt or system instruction)
                 repeat: n        serves n requests, not 1;  always: true   serves all of them
"""

import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Item = dict[str, Any]
Responder = Callable[[dict[str, Any]], Item | None]

KEYS = {
    *(
        "json",
        "text",
        "calls",
        "fenced",
        "think",
        "answer_in",
        "truncate",
        "finish",
        "blocked",
        "refusal",
        "empty",
    ),
    *("usage", "model", "status", "message", "code", "param", "reason", "retry_after", "retry_delay", "raw"),
    *("vectors", "encoding", "numbers", "tool_calls"),
    *("pieces", "pause", "stall", "break", "error", "no_finish"),
    *("content_type", "redirect", "drop", "delay", "drip", "drip_head", "match", "repeat", "always"),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """One received request. Header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    said: str = field(repr=False)  # all texts that the model would read

    def as_json(self) -> dict[str, Any]:
        return {"path": self.path, "headers": self.headers, "body": self.body}


class Script:
    """The waiting items, and the newest `keep` requests. Shared by the server's threads."""

    def __init__(self, *, keep: int = 1000) -> None:
        self.asked = 0
        self._items: list[Item] = []
        self._seen: deque[Seen] = deque(maxlen=keep)
        self._lock = threading.Lock()

    def push(self, *items: Item) -> None:
        for item in items:
            unknown = set(item) - KEYS
            if unknown:
                raise ValueError(f"A script item knows no {', '.join(sorted(unknown))}; see script.py.")
        with self._lock:
            self._items.extend(dict(item) for item in items)

    def clear(self) -> None:
        """Remove the waiting items and the requests."""
        with self._lock:
            self._items.clear()
            self._seen.clear()
            self.asked = 0

    @property
    def requests(self) -> list[Seen]:
        with self._lock:
            return list(self._seen)

    def take(self, seen: Seen) -> Item | None:
        """Record the request, and return the first waiting item that matches it."""
        with self._lock:
            self.asked += 1
            self._seen.append(seen)
            for position, item in enumerate(self._items):
                if item.get("match", "") in seen.said:
                    return self._use(position)
        return None

    def _use(self, position: int) -> Item:
        item = self._items[position]
        if not item.get("always"):
            item["repeat"] = item.get("repeat", 1) - 1
            if item["repeat"] <= 0:
                del self._items[position]
        return dict(item)


def answer_text(item: Item, *, schema: dict[str, Any] | None, said: str) -> str:
    """The model's text for an item, without the vendor's envelope."""
    if "json" in item:
        text = json.dumps(item["json"], ensure_ascii=False)
    elif "text" in item:
        text = str(item["text"])
    elif schema is not None:
        text = json.dumps(instance_of(schema))
    else:
        text = f"You said: {said[-200:]}"
    if item.get("fenced"):
        text = f"Here is what I found:\n```json\n{text}\n```\nTell me if you need more."
    return text[: item["truncate"]] if "truncate" in item else text


def call_texts(item: Item, *, parameters: dict[str, Any] | None, said: str) -> list[str]:
    """The arguments of each call of the function with these `parameters`; none if the model answers in words."""
    if parameters is None or "text" in item or item.get("fenced") or "refusal" in item:
        return []
    if "calls" in item:
        calls = item["calls"]
        return [call if isinstance(call, str) else json.dumps(call, ensure_ascii=False) for call in calls]
    return [answer_text(item, schema=parameters, said=said)]


def instance_of(schema: dict[str, Any]) -> Any:
    """The smallest value that fits a plain JSON Schema (no references)."""
    if schema.get("enum"):
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf"):
        if schema.get(choice):
            return instance_of(schema[choice][0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: instance_of(properties.get(name, {})) for name in schema.get("required", ())}
    if kind == "array":
        return [instance_of(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
    simple: dict[str, Any] = {"string": "", "integer": 0, "number": 0.0, "boolean": False, "null": None}
    return simple[kind]


def token_count(text: str) -> int:
    return max(1, len(text) // 4)
