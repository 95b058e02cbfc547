"""What behaviours made of a message goes with it, and all of it with the relationship."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from behaviours.models import BehaviourRun, OutboxMessage
from context.pipeline import build_context
from providers.llm.base import CompletionRequest
from relationships.models import Message
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.archives import copied
from tests.fixtures.behaviours import behave, outbox_of, runs_of, work
from tests.fixtures.contexts import remember
from tests.fixtures.turns import PERSON, Conversation
from tests.integration.copies import dump, tables_with
from upkeep.erasure.messages import redact_messages

WORD = "quokkä"


@pytest.fixture
def talk(conversation: Conversation, scripted_provider: ScriptedProvider) -> Conversation:
    behave(
        conversation.relationship,
        echo={"message": "You said {{ message }}"},
        mood={"prompt": {"prompt": "Mood of {{ message }}", "into": "session"}},
        before={"text": "They say {{ message }}"},
    )
    scripted_provider.otherwise = '{"mood": "fine"}'
    for said in (f"I sang {WORD}", "Something else"):
        pair = conversation.relationship
        build_context(project_id=pair.project_id, relationship_id=pair.id, message=said)
        conversation.say(said)
    build_context(project_id=pair.project_id, relationship_id=pair.id, message=f"Unsent {WORD}")
    work(conversation)
    return conversation


def test_no_copy_of_an_erased_message_is_left(talk: Conversation) -> None:
    assert tables_with(WORD, dump()) >= {
        "behaviours_behaviourrun",
        "behaviours_outboxmessage",
        "memory_modelcall",
        "relationships_message",
    }
    message = Message.objects.get(content__contains=WORD)

    redact_messages(
        project_id=message.project_id,
        relationship_id=message.relationship_id,
        message_ids=[message.id],
        by=PERSON,
    )

    assert tables_with(WORD, dump()) == set()
    about = [run for run in runs_of(talk) if run.turn_id == message.turn_id]
    assert [run.behaviour for run in about] == ["before", "echo", "mood"]
    assert all(run.redacted_at for run in about)
    assert outbox_of(talk) == ["", "You said Something else"]


def test_all_goes_with_the_relationship(talk: Conversation, api: Api) -> None:
    erased = api.delete(f"/relationships/{talk.relationship.id}").body["erased"]

    assert (erased["behaviour_run"], erased["outbox_message"]) == (7, 2)
    assert not BehaviourRun.objects.exists() and not OutboxMessage.objects.exists()


def test_all_is_exported_and_imported(talk: Conversation, api: Api) -> None:
    talk.say("Not looked at yet")
    before = [(run.id, run.state, run.rendered, run.outcome) for run in runs_of(talk)]

    there = Conversation(copied(talk.relationship))

    assert [(run.id, run.state, run.rendered, run.outcome) for run in runs_of(there)] == before
    assert work(there) == 2  # what was owed there is owed here
    assert len(outbox_of(there)) == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("gone", "anew"),
    [("/entries/{}?permanent=true", False), ("", False), ("", True)],
    ids=["the entry", "the relationship", "one that begins anew"],
)
def test_nothing_is_left_of_what_is_erased_while_a_context_asks_a_model(
    gone: str, anew: bool, conversation: Conversation, scripted_provider: ScriptedProvider, api: Api
) -> None:
    at = f"/relationships/{conversation.relationship.id}"
    ask = {"prompt": "{{ dated[0].content if not profile else profile.pet }}", "timeout_ms": 10_000}
    behave(conversation.relationship, plan={"ask": ask, "when": {} if anew else {"happens": {}}})
    if anew:
        api.put(f"{at}/profile", {"pet": WORD})
    today = datetime.now(UTC).date().isoformat()
    [entry] = remember(conversation.relationship, f"Sees the {WORD}", type="event", happens_at=today)

    def erase(request: CompletionRequest) -> None:
        assert WORD in request.prompt and api.delete(f"{at}{gone.format(entry.id)}").status == 200
        if anew:
            api.post("/relationships", {"companion": "ada", "user": "maya"})
        connection.close()

    scripted_provider.otherwise, scripted_provider.while_answering = f"A {WORD} today", erase
    assert api.post(f"{at}/context", {"message": "Hi"}).status == 200

    assert [bool(run.redacted_at) for run in runs_of(conversation)] == ([True] if gone else [])
    assert tables_with(WORD, dump()) == set()
