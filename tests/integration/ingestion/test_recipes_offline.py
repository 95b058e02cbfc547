"""Every recipe with the rules that ship: no key, no network, the whole way from a turn to the entries."""

import re

import pytest
from django.conf import settings

from memory.models import ModelCall
from memory.retrieval.index.embed import embed_owed
from relationships.models import Companion, TurnState
from tests.fixtures.turns import Conversation


@pytest.fixture(params=sorted(settings.RECIPES))
def under_recipe(request: pytest.FixtureRequest, conversation: Conversation) -> Conversation:
    companion = conversation.relationship.companion
    companion.config = {"recipe": request.param, "ingestion": {"provider": "offline"}}
    Companion.objects.filter(id=companion.id).update(config=companion.config)
    return conversation


def test_the_first_entries_are_all_shown_whatever_the_words(under_recipe: Conversation) -> None:
    """`I moved to Lisbon` shares no word with `Lives in Porto`: among few entries nothing has to be found."""
    for text in ("I live in Porto.", "I moved to Lisbon."):
        hear(under_recipe, text)

    assert len(under_recipe.contents) == 1


def hear(conversation: Conversation, text: str) -> str:
    turn = conversation.hear(text)
    embed_owed(relationship_id=conversation.relationship.id)
    state: str = turn.state
    return state


def test_a_move_is_remembered_and_the_old_home_is_not_shown(under_recipe: Conversation) -> None:
    for text in ("I live in Porto.", "It rains.", "I moved to Lisbon."):
        assert hear(under_recipe, text) == TurnState.APPLIED

    [home] = under_recipe.contents
    assert re.match("(Lives in|city:) Lisbon", home)


@pytest.mark.parametrize(
    ("was", "now", "ended"),
    [
        ("I work as a nurse at St. Mary's.", "I got a new job as a teacher at Lincoln High.", "Mary"),
        ("I play bridge on Tuesdays.", "I have stopped going to bridge.", "Plays"),
        ("I take 20 mg of fluoxetine every morning.", "I stopped taking fluoxetine.", "20 mg"),
    ],
    ids=["job", "habit", "medicine"],
)
def test_what_has_ended_is_not_shown_beside_what_took_its_place(
    under_recipe: Conversation, was: str, now: str, ended: str
) -> None:
    """Though the new text leaves out most of the old one, for which a model's update would be doubted."""
    for text in (was, now):
        assert hear(under_recipe, text) == TurnState.APPLIED

    assert not any(ended in content for content in under_recipe.contents)


def test_what_is_to_be_forgotten_is_gone(under_recipe: Conversation) -> None:
    for text in ("I love jazz.", "I live in Porto.", "Forget that I love jazz."):
        assert hear(under_recipe, text) == TurnState.APPLIED

    assert not any("jazz" in content.lower() for content in under_recipe.contents)
    assert any("Porto" in content for content in under_recipe.contents)


def test_small_talk_is_asked_about_once_and_leaves_nothing(under_recipe: Conversation) -> None:
    assert hear(under_recipe, "Good morning! How was your day?") == TurnState.APPLIED

    assert under_recipe.contents == []
    assert under_recipe.revisions == []
    assert ModelCall.objects.count() == 1
