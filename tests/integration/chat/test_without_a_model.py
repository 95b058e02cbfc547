"""A companion without a model: it says so, with what one would know, and does not learn from its own words."""

import pytest

from relationships.models import Companion
from tests.fixtures.api import Api
from tests.fixtures.chat import Chat, text_in


@pytest.fixture(autouse=True)
def known(chat: Chat, companion: Companion, api: Api) -> None:
    """Maya lives in Porto, and nobody but the offline rules replies."""
    companion.config["context"] = {"provider": "offline"}
    companion.save()
    relationship_id = api.post("/relationships", {"companion": "ada", "user": "maya"}).body["id"]
    api.post(f"/relationships/{relationship_id}/entries", {"content": "Lives in Porto", "type": "identity"})


def test_the_companion_says_so_and_what_it_knows(chat: Chat) -> None:
    events = chat.stream("Where do I live?")

    assert text_in(events).startswith("[No model is set up") and "Lives in Porto" in text_in(events)
    assert len(events) > 5


def test_what_it_quoted_is_not_quoted_again(chat: Chat) -> None:
    chat.stream("Where do I live?")
    chat.stream("Good morning!", metadata={"session": "next"})

    again = text_in(chat.stream("Where in Porto do I live?", metadata={"session": "next"}))

    assert again.count("Lives in Porto") == 1 and "Where do I live?" in again
