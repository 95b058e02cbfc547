"""The model of everybody: OpenAI's chat completions and embeddings on loopback, in threads of this process.

It knows the book of facts, is as slow and as faulty as a measure wants it, and counts what each system asks.
"""

import base64
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.peers.dialects import Answer, NotUnderstood, Request, answer, count_tokens
from benchmarks.peers.facts import Book, Change, Counts
from benchmarks.peers.vectors import DIMENSIONS, vector_of


class Model:
    """`url` ends in /v1; a system is told by the API key it sends, its name."""

    def __init__(self) -> None:
        self.url = ""
        self._book: dict[str, Sequence[Change]] = {}
        self._seconds = 0.0
        self._spoil = 0
        self._counts: dict[str, Counts] = {}
        self._since_spoiling: dict[str, int] = {}
        self._lock = threading.Lock()

    def teach(self, book: Book) -> None:
        """Add to what it knows; the same words taught again change their meaning."""
        with self._lock:
            self._book = {**self._book, **book}

    def slow_down(self, milliseconds: int) -> None:
        """Each chat completion and each embedding call takes so much longer from now on."""
        self._seconds = milliseconds / 1000

    def spoil(self, every: int) -> None:
        """Break every Nth chat answer of each system, counted from now on; 0: none."""
        with self._lock:
            self._spoil, self._since_spoiling = every, {}

    def warm(self, texts: Sequence[str]) -> None:
        """Have their vectors written already, so that who asks first doesn't wait for our arithmetic."""
        for text in texts:
            for encoding in ("float", "base64"):
                _written(text, DIMENSIONS, encoding)

    def reset(self) -> None:
        """Forget the counts. What it knows stays."""
        with self._lock:
            self._counts = {}

    def counts(self, system: str) -> Counts:
        with self._lock:
            return self._counts.get(system, Counts())

    def complete(self, body: Mapping[str, Any], system: str) -> str:
        """Raises NotUnderstood."""
        request = Request(body)
        tokens, said = request.tokens, answer(request, self._book)
        spoilt = self._note_call(system, tokens)
        time.sleep(self._seconds)
        return json.dumps(_completion(body, said, tokens=tokens, spoilt=spoilt))

    def embed(self, body: Mapping[str, Any], system: str) -> str:
        given = body["input"]
        texts = [given] if isinstance(given, str) else list(given)
        with self._lock:
            counts = self._counts.get(system, Counts())
            self._counts[system] = replace(counts, embedding_calls=counts.embedding_calls + 1)
        time.sleep(self._seconds)
        dimensions, encoding = body.get("dimensions") or DIMENSIONS, body.get("encoding_format", "float")
        tokens = sum(map(count_tokens, texts))
        data = ", ".join(
            f'{{"object": "embedding", "index": {place}, "embedding": {_written(text, dimensions, encoding)}}}'
            for place, text in enumerate(texts)
        )
        usage = json.dumps({"prompt_tokens": tokens, "total_tokens": tokens})
        return f'{{"object": "list", "model": {json.dumps(body.get("model"))}, "data": [{data}], "usage": {usage}}}'

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


@contextmanager
def model_server() -> Iterator[Model]:
    model = Model()
    with _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": model})) as server:
        model.url = f"http://127.0.0.1:{server.server_port}/v1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield model
        finally:
            server.shutdown()


def _completion(body: Mapping[str, Any], said: Answer, *, tokens: int, spoilt: bool) -> dict[str, Any]:
    """Spoilt, its JSON breaks off in the middle."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if spoilt and said.text:
        message["content"] = _broken(said.text)
    if said.calls:
        calls = [(name, json.dumps(arguments)) for name, arguments in said.calls]
        message["tool_calls"] = [
            {
                "id": f"call-{place}",
                "type": "function",
                "function": {"name": name, "arguments": _broken(text) if spoilt else text},
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


def _broken(text: str) -> str:
    return text[: max(1, 2 * len(text) // 3)] + '"'


@lru_cache(maxsize=20_000)
def _written(text: str, dimensions: int, encoding: str) -> str:
    """A vector as JSON. Kept, so that who asks for numbers as text does not pay for our writing them."""
    vector = vector_of(text, dimensions)
    if encoding == "base64":
        return json.dumps(base64.b64encode(vector.tobytes()).decode())
    return json.dumps([round(value, 7) for value in vector])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    model: Model

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        system = self.headers.get("Authorization", "").removeprefix("Bearer ")
        answers = {"/v1/chat/completions": self.model.complete, "/v1/embeddings": self.model.embed}
        try:
            self._send(200, answers[self.path](told, system))
        except NotUnderstood as problem:
            error = {"message": str(problem), "type": "invalid_request_error", "param": None, "code": None}
            self._send(400, json.dumps({"error": error}))

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _send(self, status: int, body: str) -> None:
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()


class _Server(ThreadingHTTPServer):
    """Raises nothing when a client is killed in mid-request: that is what some measures do."""

    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass
