"""Doubles of what stands outside: they say what a test told them and remember what they were asked."""

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from memory.providers.base import Completion, CompletionRequest, LLMProvider

# What a test may queue: text as it stands, a dict or list to become JSON, an error to raise, a whole
# Completion, or a function of the request that gives any of these.
Answer = str | dict[str, Any] | list[Any] | Exception | Completion | Callable[[CompletionRequest], Any]


class ScriptedProvider(LLMProvider):
    """Answers from a queue, in order, to any number of threads. Unlike `offline` it reads nothing.

    >>> provider.answer_with({"operations": []}, RateLimited(retry_after=3))
    >>> provider.otherwise = {"operations": []}  # once the queue is empty; by default that is a failure
    >>> provider.while_answering = lambda request: edit()  # runs after the question, before the answer
    """

    kind = "scripted"
    supports_schema = True
    default_model = "scripted-1"

    def __init__(self, *, alias: str = "scripted", options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self.requests: list[CompletionRequest] = []
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
        """How many queued answers nobody has asked for yet."""
        return len(self._answers)

    def complete(self, request: CompletionRequest) -> Completion:
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

    def _completion(self, request: CompletionRequest, answer: Any) -> Completion:
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Completion(
            text=text,
            provider=self.alias,
            model=request.model or self.default_model,
            prompt_tokens=(len(request.system) + len(request.prompt)) // 4,
            output_tokens=len(text) // 4,
            cached_tokens=0,
            milliseconds=0.1,
            cost=None,
            finish_reason="stop",
            request_id=f"scripted-{len(self.requests)}",
        )
