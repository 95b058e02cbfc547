"""Doubles of models: they answer what a test told them, and remember what they were asked."""

import json
import math
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memory.mending.model_judgement import SYSTEM as MENDING
from providers.embeddings.base import Embedder, Purpose
from providers.embeddings.shaping import Rows
from providers.llm.base import Completion, CompletionRequest, LLMProvider
from providers.llm.chat import ChatPart, ChatRequest

# What a test may queue: text, a dict or list to be sent as JSON, an error to raise, a whole Completion, or a function
# of the request that returns any of these.
Answer = str | dict[str, Any] | list[Any] | Exception | Completion | Callable[[CompletionRequest], Any]


class ScriptedProvider(LLMProvider):
    """Answers from a queue, in order, from any number of threads. Unlike `offline` it ignores the prompt.

    >>> provider.answer_with({"operations": []}, RateLimited(retry_after=3))
    >>> provider.otherwise = {"operations": []}  # if the queue is empty; by default it fails
    >>> provider.while_answering = lambda request: edit()  # runs after the request, before the answer
    """

    kind = "scripted"
    default_model = "scripted-1"

    def __init__(self, *, alias: str = "scripted", options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self.requests: list[CompletionRequest] = []
        # The judging of candidates to forget or correct is a separate question.
        self.wishes: list[CompletionRequest] = []
        self.wishes_answer: Answer = {"says": [], "unsure": []}
        self.otherwise: Answer | None = None
        self.while_answering: Callable[[CompletionRequest], None] | None = None
        self._answers: deque[Answer] = deque()
        self._lock = threading.Lock()

    def answer_with(self, *answers: Answer) -> None:
        """Queue answers, the next one first."""
        with self._lock:
            self._answers.extend(answers)

    @property
    def unused(self) -> int:
        """How many queued answers are left."""
        return len(self._answers)

    def complete(self, request: CompletionRequest) -> Completion:
        if request.system == MENDING:
            self.wishes.append(request)
            said = self.wishes_answer
            return self._completion(request, said(request) if callable(said) else said)
        with self._lock:
            self.requests.append(request)
            answer = self._answers.popleft() if self._answers else self.otherwise
        if answer is None:
            raise AssertionError(
                f"Nothing is queued for question {len(self.requests)}: {request.prompt[:200]!r}"
            )
        if self.while_answering is not None:
            self.while_answering(request)
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Completion) else self._completion(request, answer)

    def stream(self, request: ChatRequest) -> Iterator[ChatPart]:
        """The next answer, in two parts."""
        told = [str(message.get("content") or "") for message in request.messages]
        completion = self.complete(CompletionRequest(system=told[0], prompt=told[-1], schema=None))
        half = len(completion.text) // 2
        yield ChatPart(text=completion.text[:half])
        yield ChatPart(text=completion.text[half:])
        yield ChatPart(finish="stop", completion=completion)

    def _completion(self, request: CompletionRequest, answer: Any) -> Completion:
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Completion(
            text=text,
            provider=self.alias,
            model=request.model or self.default_model,
            prompt_tokens=(len(request.system) + len(request.prompt)) // 4,
            output_tokens=len(text) // 4,
            cached_tokens=0,
            cost=None,
        )


class ScriptedEmbedder(Embedder):
    """Returns the vector at which a test placed a text. Other texts get their own, orthogonal to nearly all.

    >>> embedder.place("I live in Porto", [1, 0, 0])
    >>> embedder.place_near("My home is Porto", "I live in Porto", at=0.9)  # the cosine
    >>> embedder.answer_with(RateLimited(retry_after=3))  # for the next calls, then vectors again
    >>> embedder.while_answering = lambda texts: edit()  # runs after the request, before the answer
    """

    kind = "scripted"

    def __init__(self, *, alias: str = "scripted", options: Mapping[str, Any] | None = None) -> None:
        """`options`: `model` and `dimensions`, for tests with two different embedders."""
        super().__init__(alias=alias, options=options)
        self.model = (options or {}).get("model", "scripted-embedder-1")
        self.dimensions = (options or {}).get("dimensions", 64)
        self.asked: list[tuple[Purpose, list[str]]] = []
        self.while_answering: Callable[[Sequence[str]], None] | None = None
        self._size = self.dimensions
        self._placed: dict[str, list[float]] = {}
        self._answers: deque[Exception | Rows | None] = deque()
        self._lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """Every text that was to be embedded, in order."""
        return [text for _, texts in self.asked for text in texts]

    def place(self, text: str, vector: Sequence[float]) -> None:
        """Set a text's vector. Missing dimensions are 0."""
        self._placed[text] = [*map(float, vector), *[0.0] * (self._size - len(vector))]

    def place_near(self, text: str, other: str, *, at: float) -> None:
        """Set a text's vector so that its cosine to `other` is `at`."""
        known = self._vector(other)
        length = math.sqrt(sum(number * number for number in known))
        unit = [number / length for number in known]
        seed = self._vector(f"aside of {text}")
        along = sum(a * b for a, b in zip(seed, unit, strict=True))
        aside = [a - along * b for a, b in zip(seed, unit, strict=True)]
        width = math.sqrt(sum(number * number for number in aside))
        beside = math.sqrt(1 - at * at)
        self._placed[text] = [at * a + beside * b / width for a, b in zip(unit, aside, strict=True)]

    def answer_with(self, *answers: Exception | Rows | None) -> None:
        """Queue the answers of the next calls: an error to raise, raw vectors, or None for the texts' own."""
        with self._lock:
            self._answers.extend(answers)

    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        with self._lock:
            self.asked.append((purpose, list(texts)))
            answer = self._answers.popleft() if self._answers else None
        if self.while_answering is not None:
            self.while_answering(texts)
        if isinstance(answer, Exception):
            raise answer
        return [self._vector(text) for text in texts] if answer is None else answer

    def _vector(self, text: str) -> list[float]:
        if text in self._placed:
            return self._placed[text]
        seeds = (zlib.crc32(f"{place} {text}".encode("utf-8", "replace")) for place in range(self._size))
        return [1.0 if seed % 2 else -1.0 for seed in seeds]
