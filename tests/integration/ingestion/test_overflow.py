"""Facts pour in: the scratchpad stays within its soft budget, and what left it can be found, undone and replayed."""

from typing import Any

import pytest
from django.utils import timezone

from context.pipeline import build_context
from memory.entries.history import fields_of
from memory.models import ScratchpadEntry, Tier
from memory.retrieval.search import search_entries_for
from providers.tokens import line_tokens
from relationships.configuration.schema import configuration_model
from relationships.models import Companion
from tests.fakes import ScriptedProvider
from tests.fixtures.past import entries_at
from tests.fixtures.turns import Conversation, add, answer

BUDGET = 500
SIGNS = "bcdfghjklm"


@pytest.fixture
def small_scratchpad(companion: Companion) -> None:
    config = {"ingestion": {"provider": "scripted", "soft_budget": BUDGET}}
    Companion.objects.filter(id=companion.id).update(config=config)


def name_of(number: int) -> str:
    """A name that stands in one fact only."""
    return "Mo" + "".join(SIGNS[int(digit)] + "a" for digit in f"{number:03}")


def tokens_shown(entries: list[ScratchpadEntry]) -> int:
    return sum(line_tokens(entry.content) for entry in entries if entry.tier == Tier.SCRATCHPAD)


def pour(conversation: Conversation, provider: ScriptedProvider, count: int, *, a_turn: int) -> list[int]:
    """So many facts, turn by turn; the tokens of the scratchpad after each."""
    used = []
    contents = [f"Has a friend called {name_of(number)}, met while travelling" for number in range(count)]
    for first in range(0, count, a_turn):
        provider.answer_with(answer(*(add(content) for content in contents[first : first + a_turn])))
        conversation.hear("I met some more people.")
        used.append(tokens_shown(conversation.entries))
    return used


def where(conversation: Conversation) -> dict[str, Any]:
    relationship = conversation.relationship
    return {"project_id": relationship.project_id, "relationship_id": relationship.id}


def test_four_hundred_facts_stay_within_the_budget_and_each_is_found(
    small_scratchpad: None, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    used = pour(conversation, scripted_provider, 400, a_turn=8)

    entries, now = conversation.entries, timezone.now()
    assert max(used) <= BUDGET
    assert len(entries) == 400
    asked = [f"Who is {name_of(number)}?" for number in range(400)]
    answers = search_entries_for(
        asked, **where(conversation), retrieval=configuration_model()().retrieval, top_k=1, now=now
    )
    contents = {entry.id: entry.content for entry in entries}
    assert all(name_of(number) in contents[found.hits[0].id] for number, found in enumerate(answers))
    replayed = entries_at(**where(conversation), as_of=None, known_at=now, now=now)
    assert [fields_of(entry) for entry in replayed] == [fields_of(entry) for entry in entries]


def test_the_context_shows_the_newest_and_finds_an_old_one(
    small_scratchpad: None, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    pour(conversation, scripted_provider, 60, a_turn=10)

    system = build_context(
        **where(conversation), message=f"Do you remember {name_of(3)}?", config={"retrieval": {"top_k": 3}}
    ).system

    assert name_of(59) in system and name_of(3) in system
    assert system.index(name_of(59)) < system.index(name_of(3))


def test_the_model_is_asked_to_condense_near_the_budget_and_left_alone_after_an_overflow(
    small_scratchpad: None, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    used = pour(conversation, scripted_provider, 90, a_turn=3)

    asked = ["of the room they have" in request.prompt for request in scripted_provider.requests]
    assert asked == [False, *(tokens >= 0.9 * BUDGET for tokens in used[:-1])]
    assert 0 < sum(asked) < len(asked) / 2
