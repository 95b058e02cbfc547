import json
from decimal import Decimal

import pytest

from providers.errors import RequestRefused
from providers.llm.base import CompletionRequest, NumberedMessage, PromptData
from providers.llm.offline import OfflineProvider
from tests.labelled.scratchpad import THURSDAY, TYPES

MATERIAL = PromptData(
    (), (NumberedMessage(1, "user", "Maya", "I live in Lisbon.", THURSDAY),), "Europe/Lisbon", TYPES, "Maya"
)


def test_it_answers_ingestion_in_the_same_json_as_every_model() -> None:
    completion = OfflineProvider(alias="offline").complete(
        CompletionRequest("system", "prompt", {}, MATERIAL)
    )
    assert json.loads(completion.text) == {
        "operations": [
            {
                "op": "add",
                "type": "identity",
                "content": "Lives in Lisbon",
                "subject": "user",
                "importance": 0.85,
                "messages": [1],
                "key": "city",
            }
        ]
    }


def test_it_says_what_it_is_and_costs_nothing() -> None:
    provider = OfflineProvider(alias="rules", options={})
    completion = provider.complete(CompletionRequest("s" * 10, "p" * 10, None, MATERIAL))
    assert (completion.provider, completion.model) == ("rules", "rules-1")
    assert (completion.prompt_tokens, completion.cost) == (5, Decimal(0))
    assert completion.output_tokens == -(-len(completion.text) // 4)


def test_it_refuses_to_talk_and_names_the_settings_that_bring_a_model() -> None:
    with pytest.raises(RequestRefused, match=r"by rules.* GEMINI_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL"):
        OfflineProvider(alias="offline").complete(CompletionRequest("Be kind.", "Hello!", None))
