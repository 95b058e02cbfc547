"""What becomes of a run that fails, waits for the budget, or loses its message."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from behaviours.execution import Work, run_behaviours
from behaviours.models import BehaviourRun
from behaviours.runs import retry_run
from memory.models import ModelCall
from providers.errors import ContentBlocked, HeldBack, RateLimited
from providers.llm.base import CompletionRequest
from relationships.models import Profile, SessionState
from relationships.services.model_budgets import set_model_budget
from tests.fakes import ScriptedProvider
from tests.fixtures.behaviours import behave, message_of, runs_of, work
from tests.fixtures.turns import PERSON, Conversation
from upkeep.erasure.messages import redact_messages


def test_a_passing_failure_is_tried_again_and_a_lasting_one_given_up(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(conversation.relationship, mood={"prompt": {"prompt": "Mood?", "into": "session"}})
    scripted_provider.answer_with(RateLimited(retry_after=3), ContentBlocked("no"))
    conversation.say("Hi")

    work(conversation)
    [waiting] = runs_of(conversation)
    assert (waiting.state, waiting.error_code, waiting.attempts) == ("pending", "rate_limited", 1)

    retry_run(relationship_id=conversation.relationship.id, run_id=waiting.id)
    work(conversation)
    [failed] = runs_of(conversation)
    assert (failed.state, failed.error) == ("failed", "no")
    assert len(failed.model_call_ids) == 2

    scripted_provider.answer_with({"mood": "fine"})
    retry_run(relationship_id=conversation.relationship.id, run_id=waiting.id)
    work(conversation)
    assert SessionState.objects.get().state == {"mood": "fine"}


def test_a_model_whose_answers_cannot_be_used_is_paid_for_three_of_them(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(conversation.relationship, mood={"prompt": {"prompt": "Mood?", "into": "session"}})
    scripted_provider.otherwise = "Rather good, thanks."
    conversation.say("Hi")

    states = []
    for _ in range(4):
        BehaviourRun.objects.filter(state="pending").update(due_at=timezone.now())
        work(conversation)
        states += [run.state for run in runs_of(conversation)]

    assert states == ["pending", "pending", "failed", "failed"]
    assert [run.error_code for run in runs_of(conversation)] == ["unparsable_answer"]
    assert len(scripted_provider.requests) == 3


def test_a_question_that_was_held_back_was_no_call(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(conversation.relationship, mood={"prompt": {"prompt": "Mood?", "into": "session"}})
    scripted_provider.answer_with(HeldBack("The provider said to wait.", retry_after=30))
    conversation.say("Hi")

    work(conversation)

    [run] = runs_of(conversation)
    assert (run.state, run.error_code, run.attempts) == ("pending", "held_back", 0)
    assert run.model_call_ids == []
    assert not ModelCall.objects.for_relationship(run.relationship_id).exists()


def test_it_is_paid_for_no_more_of_them_than_there_are_tries(
    conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 1
    behave(conversation.relationship, mood={"prompt": {"prompt": "Mood?", "into": "session"}})
    scripted_provider.otherwise = "Rather good, thanks."
    conversation.say("Hi")

    work(conversation)

    assert [run.state for run in runs_of(conversation)] == ["failed"]


def test_a_spent_budget_waits(conversation: Conversation, scripted_provider: ScriptedProvider) -> None:
    behave(conversation.relationship, mood={"prompt": {"prompt": "Mood? " * 20, "into": "session"}})
    project_id = conversation.relationship.project_id
    set_model_budget(project_id=project_id, by=PERSON, daily_tokens=1, daily_usd=None)
    scripted_provider.answer_with({"mood": "fine"})
    conversation.say("One")
    conversation.say("Two")

    work(conversation)

    done, waiting = runs_of(conversation)
    assert (done.state, waiting.state, waiting.error_code) == ("done", "pending", "budget")
    assert len(scripted_provider.requests) == 1


def test_a_message_that_is_erased_meanwhile_is_never_written_down(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    behave(conversation.relationship, mood={"prompt": {"prompt": "Sum up: {{ message }}", "into": "profile"}})
    turn = conversation.say("My secret is quokka")

    def erase(request: CompletionRequest) -> None:
        if "quokka" in request.prompt:
            redact_messages(
                project_id=turn.project_id,
                relationship_id=turn.relationship_id,
                message_ids=[message_of(turn)],
                by=PERSON,
            )

    scripted_provider.while_answering = erase
    scripted_provider.otherwise = lambda request: {"seen": "quokka" in request.prompt}

    work(conversation)

    assert Profile.objects.get().data == {"seen": False}
    assert not ModelCall.objects.filter(prompt__contains="quokka").exists()
    assert "quokka" not in runs_of(conversation)[0].rendered


def test_a_run_that_loses_the_database_is_due_again_soon_and_not_when_its_lease_ends(
    transactional_db: None, conversation: Conversation
) -> None:
    behave(conversation.relationship, greet={"message": "Hello"})
    conversation.say("Hi")

    def lose_the_database(of: Work) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(OperationalError):
        run_behaviours(
            relationship_id=conversation.relationship.id,
            worker="test",
            actions={"message": lose_the_database},
        )

    [waiting] = runs_of(conversation)
    assert (waiting.state, waiting.lease_token, waiting.attempts) == ("pending", None, 1)
    assert waiting.due_at and waiting.due_at < timezone.now() + timedelta(seconds=10)
