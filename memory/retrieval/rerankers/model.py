import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from memory.fence import escape_item, fence
from memory.retrieval.rerankers.base import NotUnderstood, Passage, Reranker, RerankRequest
from providers.errors import ProviderError
from providers.llm.base import CompletionRequest, LLMProvider
from providers.llm.registry import provider_of
from relationships.services.model_budgets import count_apart, require_model_budget
from web.errors import shorten

LONGEST = 600  # characters of a passage that are shown: 40 of them are at most about 6,000 tokens
MOST_OUTPUT_TOKENS = 2_000  # the numbers take 200; a reasoning model thinks first
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"ranking": {"type": "array", "items": {"type": "integer"}}},
    "required": ["ranking"],
    "additionalProperties": False,
}


class ModelReranker(Reranker):
    """The companion's language model reads all passages in one call, and says which are best.

    It takes a call per search, which counts towards the project's model budget. The call is not stored, as it says
    nothing that the search doesn't.
    """

    slug: ClassVar[str] = "model"

    def require(self, request: RerankRequest) -> None:
        _provider(request)
        require_model_budget(request.project_id)

    def rerank(self, request: RerankRequest) -> Sequence[int]:
        completion, answered = None, False
        try:
            completion = _provider(request).complete(_question(request))
            order = read_ranking(completion.text, len(request.passages))
            answered = True
        except ProviderError as error:
            completion = error.completion
            raise
        finally:
            count_apart(request.project_id, completion, answered=answered)
        return order


def read_ranking(text: str, count: int) -> list[int]:
    """Convert the numbers (from 1) in a model's answer to indexes (from 0). Raises NotUnderstood."""
    try:
        numbers = json.loads(text)["ranking"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise NotUnderstood("the model's answer is no ranking") from None
    if not isinstance(numbers, list) or not numbers:
        raise NotUnderstood("the model's answer ranks nothing")
    if not all(type(number) is int and 1 <= number <= count for number in numbers):
        raise NotUnderstood("the model's answer ranks what it was not shown")
    return [number - 1 for number in dict.fromkeys(numbers)]


def _provider(request: RerankRequest) -> LLMProvider:
    return provider_of(request.asked.provider)


def _question(request: RerankRequest) -> CompletionRequest:
    notes = [_line(number, passage) for number, passage in enumerate(request.passages, start=1)]
    asked = fence([escape_item(request.question)], what="question")
    return CompletionRequest(
        system=_rules(),
        prompt=f"{asked}\n\n{fence(notes)}\n\nThe numbers of the notes that help with the question, best first:",
        schema=SCHEMA,
        model=request.asked.model,
        max_output_tokens=MOST_OUTPUT_TOKENS,
    )


def _line(number: int, passage: Passage) -> str:
    who = f" {escape_item(passage.who)}" if passage.who else ""
    return f"{number}. {passage.told_at:%Y-%m-%d}{who}: {escape_item(shorten(passage.text, LONGEST))}"


@cache
def _rules() -> str:
    return Path(__file__).with_suffix(".md").read_text().strip()
