from contextlib import suppress
from typing import Any

import psycopg
import pytest
from django.db import connection
from pytest_django import Settings

from context.pipeline import build_context
from context.replies import LINES, _place, offline_reply, reply
from providers.errors import ProviderUnavailable
from providers.llm.base import Completion, CompletionRequest
from relationships.models import Companion, Message, Relationship, Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation
from web.errors import InvalidInput, Unavailable, UpstreamFailed

pytestmark = pytest.mark.django_db


@pytest.fixture
def talking(relationship: Relationship, scripted_provider: ScriptedProvider) -> Relationship:
    """Loaded as `reply` wants it, with the scripted model."""
    return Relationship.objects.select_related("companion", "user", "project").get(id=relationship.id)


def test_a_reply_is_written_from_the_context_and_both_are_handed_over_as_a_turn(
    talking: Relationship, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Is allergic to peanuts")
    scripted_provider.answer_with("How about soup?")

    said = reply(relationship=talking, message="What shall I cook?", session="kitchen")

    asked = scripted_provider.requests[-1]
    assert "Is allergic to peanuts" in asked.system
    assert asked.prompt == "What shall I cook?"
    assert asked.schema is None
    assert (said.text, said.offline) == ("How about soup?", False)
    turn = Turn.objects.for_relationship(talking.id).get()
    assert (turn.state, turn.session) == (TurnState.PENDING, "kitchen")
    messages = Message.objects.for_relationship(talking.id).order_by("seq").values_list("role", "content")
    assert list(messages) == [("user", "What shall I cook?"), ("assistant", "How about soup?")]


def test_the_earlier_conversation_goes_along_and_begins_with_the_person(
    talking: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with("One.", "Two.")
    reply(relationship=talking, message="First", session="s")

    reply(relationship=talking, message="Second", session="s")

    assert scripted_provider.requests[-1].turns() == (
        ("user", "First"),
        ("assistant", "One."),
        ("user", "Second"),
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answer", ["How about soup?", ProviderUnavailable("The server is away.")])
def test_a_connection_that_was_cut_while_the_model_thought_is_replaced(
    talking: Relationship,
    scripted_provider: ScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
    answer: str | Exception,
) -> None:
    scripted_provider.answer_with(answer)
    complete = scripted_provider.complete

    def cut_and_complete(request: CompletionRequest) -> Completion:
        with psycopg.connect(**_address(), autocommit=True) as other:
            cut = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = %s"
            assert other.execute(cut, [connection.connection.info.backend_pid]).fetchall() == [(True,)]
        return complete(request)

    monkeypatch.setattr(scripted_provider, "complete", cut_and_complete)
    with suppress(UpstreamFailed):
        reply(relationship=talking, message="What shall I cook?", session="kitchen")

    assert Turn.objects.for_relationship(talking.id).exists() == isinstance(answer, str)


def _address() -> dict[str, Any]:
    settings = connection.settings_dict
    names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    return {name: settings[key] for name, key in names.items() if settings[key]}


def test_without_a_reply_nothing_is_stored(
    talking: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(ProviderUnavailable("The server is away."))

    with pytest.raises(UpstreamFailed, match="The server is away"):
        reply(relationship=talking, message="Hello", session="s")

    assert not Turn.objects.for_relationship(talking.id).exists()


@pytest.mark.parametrize(
    ("message", "error"), [(" \n", InvalidInput), ("a\x00b", InvalidInput), ("x" * 70_000, InvalidInput)]
)
def test_a_message_that_can_not_be_kept_is_refused_before_anybody_is_asked(
    talking: Relationship, scripted_provider: ScriptedProvider, message: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        reply(relationship=talking, message=message, session="s")

    assert not scripted_provider.requests


def test_who_waits_for_a_model_never_takes_all_threads(talking: Relationship, settings: Settings) -> None:
    settings.MAX_WAITERS = 1

    with _place(), pytest.raises(Unavailable, match="Try again in a moment"):
        reply(relationship=talking, message="Hello", session="s")


def test_without_a_model_the_reply_says_so(relationship: Relationship, companion: Companion) -> None:
    companion.config = {"context": {"provider": "offline"}}
    companion.save()
    talking = Relationship.objects.select_related("companion", "user", "project").get(id=relationship.id)

    said = reply(relationship=talking, message="Hello", session="s")

    assert said.offline
    assert said.text.startswith("[No model is set up")


def test_without_a_model_the_reply_says_what_one_would_know(
    relationship: Relationship, conversation: Conversation
) -> None:
    def said() -> str:
        context = build_context(
            project_id=relationship.project_id, relationship_id=relationship.id, message="Hello", session="s"
        )
        return offline_reply(context, user="Maya")

    assert "Nothing is remembered of Maya yet" in said()
    conversation.remember(*[f"Fact {number}" for number in range(LINES + 2)])
    assert "- Fact 9" in said()
    assert "... and 2 more" in said()
