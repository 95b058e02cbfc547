import pytest
from django.test import Client

from memory.models import ScratchpadEntry
from relationships.models import Relationship, Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/"


def test_each_turn_shows_what_it_changed(
    viewer: Client, page: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog")))
    conversation.say("I have a dog.")
    conversation.drain()

    shown = viewer.get(f"{page}conversation/").content.decode()

    assert "I have a dog." in shown
    assert "memory updated" in shown
    assert str(ScratchpadEntry.objects.get().id) in shown


def test_a_trace_shows_the_prompt_the_raw_answer_and_each_verdict(
    viewer: Client, page: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog"), add("Has a cat", messages=[9])))
    turn = conversation.say("I have a <b>dog</b>.")
    conversation.drain()

    shown = viewer.get(f"{page}turns/{turn.id}/").content.decode()

    assert "rests on messages that were not shown" in shown
    assert "&quot;op&quot;" in shown
    assert "I have a &lt;b&gt;dog&lt;/b&gt;." in shown
    assert "Retry" not in shown


def fail(relationship: Relationship, *turns: Turn, code: str = "unparsable_answer") -> None:
    owned = Turn.objects.for_relationship(relationship.id).filter(id__in=[turn.id for turn in turns])
    owned.update(state=TurnState.FAILED, error_code=code)


@pytest.mark.parametrize(
    ("offered_at", "sent", "leads_to"),
    [
        ("{page}turns/{turn}/", {}, "{page}turns/{turn}/"),
        ("/admin-ui/turns/", {"back": "turns"}, "/admin-ui/turns/"),
    ],
    ids=["from its own page", "from the list"],
)
def test_one_failed_turn_is_retried(
    editor: Client,
    page: str,
    conversation: Conversation,
    relationship: Relationship,
    offered_at: str,
    sent: dict[str, str],
    leads_to: str,
) -> None:
    one, two = conversation.say("One."), conversation.say("Two.")
    fail(relationship, one, two)
    retry = f"{page}turns/{one.id}/retry/"
    assert f'action="{retry}"' in editor.get(offered_at.format(page=page, turn=one.id)).content.decode()

    assert editor.post(retry, sent)["Location"] == leads_to.format(page=page, turn=one.id)

    assert [conversation.again(turn).state for turn in (one, two)] == [TurnState.PENDING, TurnState.FAILED]


@pytest.mark.parametrize(
    ("query", "button", "retried"),
    [("?state=failed", "Retry all failed", 2), ("?state=failed&reason=unparsable", "Retry these", 1)],
)
def test_the_failed_turns_of_the_list_and_no_others_are_retried_at_once(
    editor: Client,
    conversation: Conversation,
    relationship: Relationship,
    query: str,
    button: str,
    retried: int,
) -> None:
    one, two = conversation.say("One."), conversation.say("Two.")
    fail(relationship, one)
    fail(relationship, two, code="refused")
    page = f"/admin-ui/turns/{query}"
    assert button in editor.get(page).content.decode()

    said = editor.post(page, follow=True).content.decode()

    assert f"Retrying {retried} turn" in said
    assert conversation.again(one).state == TurnState.PENDING
    assert (conversation.again(two).state == TurnState.PENDING) is (retried == 2)
