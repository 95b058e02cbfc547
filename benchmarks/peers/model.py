"""The model and embedder of all systems: a server of OpenAI's protocol on loopback, in threads of this process.

It answers from the book of facts, as slowly and faultily as a measure wants, and counts what each system asks. The
embedder hashes words and their trigrams, so it is deterministic and lexical.
"""

import base64
import json
import re
import threading
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any
from zlib import crc32

from benchmarks.peers.dialects import Answer, NotUnderstood, Request, answer, count_tokens
from benchmarks.peers.hosted.host import DIMENSIONS
from benchmarks.peers.stories import Book, Change
from tests.vendor_servers.embeddings import openai_said
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.script import Seen
from tests.vendor_servers.server import Reply

# A part of every vector's squared length that is the same for all texts. So texts that share no word have a cosine of
# about 0.2, as with sentence models, and a system's minimum similarity does not exclude all of them.
COMMON = 0.2
_WORD = re.compile(r"\w+")


class Model(OpenAIServer):
    """The API key of a request is the system's name. Counts: `calls`, `prompt_tokens`, `embedding_calls`, and
    `malformed` answers, which were truncated on purpose.
    """

    def __init__(self) -> None:
        super().__init__(keep=1)
        self._book: dict[str, Sequence[Change]] = {}
        self._spoil = 0
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._since_spoiling = Counter[str]()
        self._lock = threading.Lock()

    def teach(self, book: Book) -> None:
        """Add to the book, in place of earlier entries of the same messages."""
        with self._lock:
            self._book = {**self._book, **book}

    def slow_down(self, milliseconds: int) -> None:
        """Delay every answer by this much from now on."""
        self.latency = milliseconds / 1000

    def spoil(self, every: int) -> None:
        """Truncate one in `every` chat answers to each system from now on; 0: none."""
        with self._lock:
            self._spoil = every
            self._since_spoiling.clear()

    def warm(self, texts: Sequence[str]) -> None:
        """Compute the vectors of these texts in advance, so that the first system does not wait for that."""
        for text in texts:
            for encoding in ("float", "base64"):
                _written(text, DIMENSIONS, encoding)

    def reset(self) -> None:
        """Set the counts to zero."""
        with self._lock:
            self._counts.clear()

    def counts(self, system: str) -> Counter[str]:
        with self._lock:
            return self._counts[system].copy()

    def reply(self, seen: Seen) -> Reply:
        system = seen.headers.get("authorization", "").removeprefix("Bearer ")
        if "input" in seen.body:
            with self._lock:
                self._counts[system]["embedding_calls"] += 1
            time.sleep(self.latency)
            return Reply(200, _embeddings(seen.body, openai_said(seen.body)))
        request = Request(seen.body)
        try:
            said = answer(request, self._book)
        except NotUnderstood as problem:
            return self.failure({"status": 400, "message": str(problem)})
        with self._lock:
            self._since_spoiling[system] += 1
            spoilt = bool(self._spoil) and self._since_spoiling[system] % self._spoil == 0
            self._counts[system].update(calls=1, prompt_tokens=request.tokens, malformed=int(spoilt))
        time.sleep(self.latency)
        return Reply(200, _completion(seen.body, said, tokens=request.tokens, spoilt=spoilt))


def _completion(body: Mapping[str, Any], said: Answer, *, tokens: int, spoilt: bool) -> dict[str, Any]:
    def text(whole: str) -> str:
        return whole[: max(1, 2 * len(whole) // 3)] + '"' if spoilt else whole

    message: dict[str, Any] = {"role": "assistant", "content": text(said.text) if said.text else None}
    if said.calls:
        functions = [{"name": name, "arguments": text(json.dumps(given))} for name, given in said.calls]
        message["tool_calls"] = [
            {"id": f"call-{place}", "type": "function", "function": function}
            for place, function in enumerate(functions)
        ]
    output = count_tokens(json.dumps(message))
    finish = "tool_calls" if said.calls else "stop"
    return {
        "id": "local",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": output, "total_tokens": tokens + output},
    }


def _embeddings(body: Mapping[str, Any], texts: Sequence[str]) -> str:
    dimensions, encoding = body.get("dimensions") or DIMENSIONS, body.get("encoding_format", "float")
    data = ", ".join(
        f'{{"object": "embedding", "index": {place}, "embedding": {_written(text, dimensions, encoding)}}}'
        for place, text in enumerate(texts)
    )
    tokens = sum(map(count_tokens, texts))
    usage = json.dumps({"prompt_tokens": tokens, "total_tokens": tokens})
    return (
        f'{{"object": "list", "model": {json.dumps(body.get("model"))}, "data": [{data}], "usage": {usage}}}'
    )


@lru_cache(maxsize=20_000)
def _written(text: str, dimensions: int, encoding: str) -> str:
    """A text's vector as JSON. Cached, so that systems that ask for numbers do not wait for their formatting."""
    vector = vector_of(text, dimensions)
    if encoding == "base64":
        return json.dumps(base64.b64encode(vector.tobytes()).decode())
    return json.dumps([round(value, 7) for value in vector])


def vector_of(text: str, dimensions: int = DIMENSIONS) -> "array[float]":
    """The text's vector, of length 1, as 32-bit floats."""
    vector = [0.0] * dimensions
    for word in _WORD.findall(text.casefold()):
        for place, weight in _places(word):
            vector[place % dimensions] += weight
    length = sqrt(sum(value * value for value in vector)) or 1.0
    own, shared = sqrt(1 - COMMON) / length, sqrt(COMMON / dimensions)
    return array("f", [value * own + shared for value in vector])


@lru_cache(maxsize=50_000)
def _places(word: str) -> tuple[tuple[int, float], ...]:
    """The places and weights of a word. The whole word weighs as much as all its trigrams."""
    ends = f"^{word}$"
    trigrams = [ends[at : at + 3] for at in range(len(ends) - 2)]
    parts = [(word, 1.0), *((part, 1 / len(trigrams)) for part in trigrams)]
    hashed = [(crc32(part.encode()) >> 1, weight) for part, weight in parts]
    return tuple((place, weight if place & 1 else -weight) for place, weight in hashed)
