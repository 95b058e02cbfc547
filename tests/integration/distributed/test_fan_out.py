"""What is done every turn asks one node, and one shard of it. `make test-citus` runs this; elsewhere it is skipped."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from memory.ingestion.claim import claim_turns
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.distributed import only_distributed, statements_sent
from tests.fixtures.turns import Conversation, add, answer, delete, update

pytestmark = only_distributed
Prepared = Callable[[], Any]


def context(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    conversation.remember("Prefers tea")
    return lambda: (
        api.post(f"/relationships/{conversation.relationship.id}/context", {"message": "Tea?"}).body
    )


def meet_again(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    known = conversation.relationship
    body = {"companion": known.companion.slug, "user": known.user.external_id}
    return lambda: api.post("/relationships", body).body["id"] == str(known.id)


def intake(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    body = {"messages": [{"role": "user", "content": "I drink green tea."}], "session": "phone"}
    return lambda: api.post(f"/relationships/{conversation.relationship.id}/turns", body)


def claim(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    conversation.say("I drink green tea.")
    return lambda: claim_turns(relationship_id=conversation.relationship.id, worker="test")


def apply(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    conversation.remember("Drinks coffee", "Works as a nurse")
    provider.answer_with(answer(add("Owns a kayak"), update(1, "Drinks green tea"), delete(2)))
    conversation.say("I drink green tea now, I left the clinic, and I own a kayak.")
    return conversation.drain


def search_entries(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    conversation.remember("Drinks green tea", "Works as a nurse")
    path = f"/relationships/{conversation.relationship.id}/entries/search"
    return lambda: api.post(path, {"query": "Which tea?"}).body["items"]


def search_messages(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    conversation.say("I drink green tea.")
    path = f"/relationships/{conversation.relationship.id}/messages/search"
    return lambda: api.post(path, {"query": "Which tea?"}).body["items"]


def erase(api: Api, conversation: Conversation, provider: ScriptedProvider) -> Prepared:
    conversation.remember("Drinks green tea")
    conversation.say("I drink green tea.")
    return lambda: api.delete(f"/relationships/{conversation.relationship.id}")


@pytest.mark.parametrize(
    "prepare",
    [
        meet_again,
        context,
        intake,
        claim,
        apply,
        search_entries,
        search_messages,
        erase,
    ],
    ids=lambda prepare: str(prepare.__name__),
)
def test_a_relationship_is_served_by_its_own_shard(
    prepare: Callable[[Api, Conversation, ScriptedProvider], Prepared],
    api: Api,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    assert (
        api.get(f"/relationships/{conversation.relationship.id}").status == 200
    )  # notes that the key was used
    done = prepare(api, conversation, scripted_provider)

    with statements_sent() as sent:
        assert done()

    assert sent.commands
    assert not (beside := sent.beside(conversation.relationship.id)), "\n".join(beside)


def test_a_claim_is_written_before_it_is_acknowledged(conversation: Conversation) -> None:
    """A shard that moves takes along what its node has written; the rest would be as if it had never been."""
    conversation.say("I drink green tea.")
    where = "SELECT current_setting('synchronous_commit') FROM relationships_relationship WHERE id = %s"
    with transaction.atomic(), connection.cursor() as cursor:
        claim_turns(relationship_id=conversation.relationship.id, worker="test")
        cursor.execute(where, [conversation.relationship.id])
        assert cursor.fetchone() == ("on",)
