"""The provider that needs no key and no network: rules that really read the text. It is not a language model."""

import json
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from providers.errors import RequestRefused
from providers.llm.base import Completion, CompletionRequest, LLMProvider
from providers.llm.offline.answers import ANSWERS

CHARACTERS_PER_TOKEN = 4


class OfflineProvider(LLMProvider):
    """Answers ingestion's questions from their material, in the same JSON as every model; refuses all else."""

    kind: ClassVar[str] = "offline"
    supports_schema: ClassVar[bool] = True
    default_model = "rules-1"

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)

    def complete(self, request: CompletionRequest) -> Completion:
        """What the rules find. Raises RequestRefused for anything but ingestion."""
        if request.material is None:
            raise RequestRefused(
                "The offline provider answers by rules, for remembering only. For replies, set GEMINI_API_KEY or "
                "another provider in LLM_PROVIDERS."
            )
        started = time.perf_counter()
        text = json.dumps(ANSWERS[request.material.task](request.material), ensure_ascii=False)
        return Completion(
            text=text,
            provider=self.alias,
            model=self.default_model,
            prompt_tokens=_tokens(len(request.system) + len(request.prompt)),
            output_tokens=_tokens(len(text)),
            cached_tokens=0,
            milliseconds=(time.perf_counter() - started) * 1000,
            cost=Decimal(0),
            finish_reason="stop",
        )


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
