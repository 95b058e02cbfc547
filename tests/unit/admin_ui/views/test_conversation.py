import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

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


def test_the_page_costs_the_same_whatever_the_number_of_turns(
    viewer: Client,
    page: str,
    conversation: Conversation,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(12):
        conversation.say(f"Turn {number}", session=f"s{number % 3}")

    with django_assert_max_num_queries(12):
        assert "Turn 11" in viewer.get(f"{page}conversation/").content.decode()


def test_a_failed_turn_is_retried_from_its_trace(
    editor: Client, page: str, conversation: Conversation, relationship: Relationship
) -> None:
    turn = conversation.say("I have a dog.")
    Turn.objects.for_relationship(relationship.id).update(
        state=TurnState.FAILED, error_code="unparsable_answer"
    )
    assert "Retry" in editor.get(f"{page}turns/{turn.id}/").content.decode()

    editor.post(f"{page}turns/{turn.id}/retry/")

    assert Turn.objects.for_relationship(relationship.id).get().state == TurnState.PENDING


def test_all_failed_turns_are_retried_at_once(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    for text in ("One.", "Two."):
        conversation.say(text)
    Turn.objects.for_relationship(relationship.id).update(
        state=TurnState.FAILED, error_code="unparsable_answer"
    )
    assert "unparsable_answer" in editor.get("/admin-ui/turns/").content.decode()

    assert "Retrying 2 turns." in editor.post("/admin-ui/turns/", follow=True).content.decode()

    assert set(Turn.objects.values_list("state", flat=True)) == {TurnState.PENDING}


def test_what_a_filter_leaves_out_is_not_retried(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    one, two = conversation.say("One."), conversation.say("Two.")
    owned = Turn.objects.for_relationship(relationship.id)
    owned.filter(id=one.id).update(state=TurnState.FAILED, error_code="unparsable_answer")
    owned.filter(id=two.id).update(state=TurnState.FAILED, error_code="refused")
    address = "/admin-ui/turns/?state=failed&reason=unparsable"
    assert "Retry these" in editor.get(address).content.decode()

    assert "Retrying 1 turn." in editor.post(address, follow=True).content.decode()

    assert conversation.again(one).state == TurnState.PENDING
    assert conversation.again(two).state == TurnState.FAILED


def test_one_failed_turn_is_retried_from_the_list(
    editor: Client, conversation: Conversation, relationship: Relationship
) -> None:
    one, two = conversation.say("One."), conversation.say("Two.")
    Turn.objects.for_relationship(relationship.id).update(state=TurnState.FAILED)
    retry = f"/admin-ui/relationships/{relationship.id}/turns/{one.id}/retry/"
    assert f'action="{retry}"' in editor.get("/admin-ui/turns/").content.decode()

    assert editor.post(retry, {"back": "turns"})["Location"] == "/admin-ui/turns/"

    assert conversation.again(one).state == TurnState.PENDING
    assert conversation.again(two).state == TurnState.FAILED


def test_the_list_shows_one_companions_turns(
    viewer: Client, conversation: Conversation, relationship: Relationship
) -> None:
    conversation.say("I have a dog.")
    address = "/admin-ui/turns/?state=pending&companion="

    assert "I have a dog." in viewer.get(f"{address}{relationship.companion_id}").content.decode()
    assert "No turns match these filters." in viewer.get(f"{address}{relationship.id}").content.decode()
