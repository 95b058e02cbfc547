"""An erased statement is gone from what both sides said of it: at once where that is sure, else once a person has looked
through the messages that still hold its words. Proved by the whole database, as for a person."""

from collections.abc import Iterator
from typing import Any

import pytest

from memory.ingestion.replays import request_replay
from memory.retrieval.index.embed import embed_owed
from relationships.models import Message
from relationships.services.turns import NewMessage
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.index import configure
from tests.fixtures.turns import PERSON, Conversation, add, answer
from tests.fixtures.workspaces import begin, done, step, whole, work
from tests.integration.copies import dump, tables_with

NOTHING: dict[str, list[object]] = {"operations": []}
SAID = "I live in Klosterneuburg."
ECHO = "Since you live in Klosterneuburg, the abbey is around the corner."
LATER = "Klosterneuburg is loud today."
OTHER = "And how is your sister?"


@pytest.fixture
def told(conversation: Conversation, scripted_provider: ScriptedProvider) -> dict[str, Message]:
    """An exchange that is remembered, its echo, and a later word; everything is indexed, embedded and replayed."""
    relationship = conversation.relationship
    configure(relationship, embedder="offline", embed_messages=True)
    scripted_provider.answer_with(answer(add("Lives in Klosterneuburg"), add("Has a sister", messages=[3])))
    conversation.exchange(SAID, ECHO, "I have a sister.", OTHER)
    scripted_provider.answer_with(NOTHING)
    conversation.exchange(LATER, "Shall we stay in?")
    embed_owed(relationship_id=relationship.id)
    request_replay(
        relationship=relationship, template="Keep it.", messages=[NewMessage("user", LATER)], by=PERSON
    )
    return {message.content: message for message in Message.objects.for_relationship(relationship.id)}


def erase(api: Api, at: str, conversation: Conversation, **query: str) -> Any:
    entry = next(entry for entry in conversation.entries if "Klosterneuburg" in entry.content)
    more = "".join(f"&{name}={value}" for name, value in query.items())
    return api.delete(f"{at}/entries/{entry.id}?permanent=true{more}")


def test_no_copy_of_an_erased_statement_is_left_on_either_side(
    api: Api,
    at: str,
    told: dict[str, Message],
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    assert tables_with("Klosterneuburg", dump()) >= {
        "relationships_message",
        "memory_operationresult",
        "relationships_snapshot",
        "memory_scratchpadentry",
        "memory_entryrevision",
        "memory_modelcall",
        "memory_replay",
        "memory_searchtext",
    }

    erased = erase(api, at, conversation)

    assert erased.status == 200
    assert set(erased.body["messages_redacted"]) == {str(told[SAID].id), str(told[ECHO].id)}
    [left] = erased.body["messages_still_holding"]
    assert left == {
        "id": str(told[LATER].id),
        "turn_id": str(told[LATER].turn_id),
        "seq": told[LATER].seq,
        "role": "user",
        "words": ["klosterneuburg"],
    }
    assert tables_with("Klosterneuburg", dump()) >= {"relationships_message", "memory_searchtext"}

    redacted = api.post(f"{at}/messages/redact", {"messages": [left["id"]]})

    assert redacted.status == 200 and redacted.body["erased"]["message"] == 1
    assert tables_with("Klosterneuburg", dump()) == set()
    shown = "\n".join(_whatever_is_shown(api, at, conversation, scripted_provider))
    assert "klosterneuburg" not in shown.casefold()
    assert OTHER in shown  # what says nothing of it is still there
    assert conversation.contents == ["Has a sister"]


def _whatever_is_shown(
    api: Api, at: str, conversation: Conversation, provider: ScriptedProvider
) -> Iterator[str]:
    """The next question to the ingestion's model, a context, both searches, and an export with everything."""
    provider.answer_with(NOTHING)
    conversation.exchange("It is evening.")
    yield provider.requests[-1].prompt
    yield api.post(f"{at}/context", {"message": "Where do I live?"}).raw.decode()
    yield api.post(f"{at}/messages/search", {"query": "Klosterneuburg"}).raw.decode()
    yield api.post(f"{at}/entries/search", {"query": "Klosterneuburg"}).raw.decode()
    yield api.get(f"{at}/export?calls=true").raw.decode()


def test_the_words_of_a_redacted_message_leave_every_table(
    api: Api,
    at: str,
    told: dict[str, Message],
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    looks = (
        step("recall", query="sister", messages=True),
        step("memory", command="recall", query="sister", messages=True),
    )
    scripted_provider.answer_with(*looks, done(), "# Maya")
    work(pair := whole(conversation.relationship), begin(pair))
    kept_in = {"relationships_message", "memory_modelcall", "workspace_agentstep"}
    assert tables_with("I have a sister", dump()) >= kept_in
    vectors = dump()["memory_embedding"]

    redacted = api.post(f"{at}/messages/redact", {"messages": [str(told["I have a sister."].id)]})

    assert redacted.status == 200
    assert redacted.body["erased"].keys() >= {
        "message",
        "model_call",
        "search_text",
        "embedding",
        "turn",
        "replay",
    }
    assert tables_with("I have a sister", dump()) == set()
    assert str(told["I have a sister."].id) in vectors
    assert str(told["I have a sister."].id) not in dump()["memory_embedding"]
    assert "Has a sister" in conversation.contents  # what was made of it is an entry, to be erased by itself


def test_the_conversation_is_kept_where_that_is_asked_and_listed_whole(
    api: Api, at: str, told: dict[str, Message], conversation: Conversation
) -> None:
    erased = erase(api, at, conversation, messages="keep")

    assert erased.body["messages_redacted"] == []
    listed = [message["id"] for message in erased.body["messages_still_holding"]]
    assert set(listed) == {str(told[text].id) for text in (SAID, ECHO, LATER)}
    assert listed[-1] == str(told[LATER].id)  # what holds least of it comes last
    assert erased.body["messages_still_holding_total"] == 3
    assert tables_with("Klosterneuburg", dump()) == {"relationships_message", "memory_searchtext"}
