"""The model of everybody: OpenAI's chat completions and embeddings on loopback, in a process of its own.

python -m benchmarks.peers.model_server     prints its address; POST /control steers it (benchmarks.peers.model)
"""

import base64
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson

from benchmarks.peers.dialects import Answer, NotUnderstood, Request, answer, count_tokens, tokenizer
from benchmarks.peers.facts import Change, Counts, from_json
from benchmarks.peers.vectors import DIMENSIONS, vector_of


class Mind:
    """What the model knows and was asked, by system."""

    def __init__(self) -> None:
        self.book: dict[str, list[Change]] = {}
        self._latency = 0.0
        self._spoil = 0
        self._counts: dict[str, Counts] = {}
        self._since_spoiling: dict[str, int] = {}
        self._lock = threading.Lock()

    def control(self, told: Mapping[str, Any]) -> dict[str, Any]:
        for text in told.get("warm", ()):
            for encoding in ("float", "base64"):
                written(text, told["dimensions"], encoding)
        with self._lock:
            self.book = self.book | from_json(told.get("book", {}))
            self._latency = told.get("latency", self._latency * 1000) / 1000
            if "spoil" in told:
                self._spoil, self._since_spoiling = told["spoil"], {}
            if told.get("reset"):
                self._counts = {}
            counts = self._counts.get(told.get("counts", ""), Counts())
        return {"counts": asdict(counts), "tokenizer": tokenizer()[0]}

    def complete(self, body: Mapping[str, Any], system: str) -> dict[str, Any]:
        """Raises NotUnderstood."""
        request = Request(body)
        tokens, said = request.tokens, answer(request, self.book)
        spoilt = self._note_call(system, tokens)
        time.sleep(self._latency)
        return envelope(body, said, tokens=tokens, spoilt=spoilt)

    def embed(self, body: Mapping[str, Any], system: str) -> dict[str, Any]:
        """The vectors as they are to be written: parts of JSON."""
        given = body["input"]
        texts = [given] if isinstance(given, str) else list(given)
        with self._lock:
            counts = self._counts.get(system, Counts())
            self._counts[system] = replace(
                counts,
                embedding_calls=counts.embedding_calls + 1,
                embedded_texts=counts.embedded_texts + len(texts),
            )
        time.sleep(self._latency)
        dimensions, encoding = body.get("dimensions") or DIMENSIONS, body.get("encoding_format", "float")
        tokens = sum(map(count_tokens, texts))
        return {
            "object": "list",
            "model": body.get("model"),
            "data": [
                {"object": "embedding", "index": place, "embedding": written(text, dimensions, encoding)}
                for place, text in enumerate(texts)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }

    def _note_call(self, system: str, tokens: int) -> bool:
        """Whether this one's answer is to be spoilt."""
        with self._lock:
            number = self._since_spoiling.get(system, 0) + 1
            self._since_spoiling[system] = number
            spoilt = bool(self._spoil) and number % self._spoil == 0
            counts = self._counts.get(system, Counts())
            self._counts[system] = replace(
                counts,
                calls=counts.calls + 1,
                prompt_tokens=counts.prompt_tokens + tokens,
                malformed=counts.malformed + spoilt,
            )
        return spoilt


def envelope(body: Mapping[str, Any], said: Answer, *, tokens: int, spoilt: bool) -> dict[str, Any]:
    """A chat completion. Spoilt, its JSON breaks off in the middle."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if spoilt and said.text:
        message["content"] = broken(said.text)
    if said.calls:
        calls = [(name, json.dumps(arguments)) for name, arguments in said.calls]
        message["tool_calls"] = [
            {
                "id": f"call-{place}",
                "type": "function",
                "function": {"name": name, "arguments": broken(text) if spoilt else text},
            }
            for place, (name, text) in enumerate(calls)
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


def broken(text: str) -> str:
    return text[: max(1, 2 * len(text) // 3)] + '"'


@lru_cache(maxsize=20_000)
def written(text: str, dimensions: int, encoding: str) -> orjson.Fragment:
    """A vector as JSON. Kept, so that who asks for numbers as text does not pay for our writing them."""
    vector = vector_of(text, dimensions)
    if encoding == "base64":
        return orjson.Fragment(orjson.dumps(base64.b64encode(vector.tobytes()).decode()))
    return orjson.Fragment(orjson.dumps([round(value, 7) for value in vector]))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    mind: Mind

    def do_POST(self) -> None:
        told = orjson.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        system = self.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            if self.path == "/control":
                self._send(200, self.mind.control(told))
            elif self.path == "/v1/chat/completions":
                self._send(200, self.mind.complete(told, system))
            elif self.path == "/v1/embeddings":
                self._send(200, self.mind.embed(told, system))
            else:
                self._send(404, _error(f"Nothing answers at {self.path}."))
        except NotUnderstood as problem:
            self._send(400, _error(str(problem)))

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _send(self, status: int, body: dict[str, Any]) -> None:
        content = orjson.dumps(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    """Raises nothing when a client is killed in mid-request: that is what some measures do."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, mind: Mind, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), type("Handler", (Handler,), {"mind": mind}))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


if __name__ == "__main__":
    server = Server(Mind())
    print(server.url, flush=True)
    server.serve_forever()
