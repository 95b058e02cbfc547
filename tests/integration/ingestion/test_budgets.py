"""What a project may ask of models in a day: past it turns wait, and nobody is asked."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db.models import Sum
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from memory.ingestion.replays import request_replay
from memory.ingestion.sweep import Sweep
from memory.models import ModelCall
from providers.errors import RateLimited, Unauthorized
from providers.llm.base import Completion
from relationships.models import ModelSpending, Project, Relationship, Turn, TurnState
from relationships.services.model_budgets import model_budget_of, read_spending, set_model_budget
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import PERSON, Conversation, add, answer
from web.errors import BudgetSpent

HELLO_THERE = {"model": "ada", "user": "maya", "messages": [{"role": "user", "content": "Hello?"}]}
HELLO = [{"role": "user", "content": "Call me Max. I cook."}]


def costing(tokens: int, usd: str | None = None) -> Completion:
    """An answer that says nothing and took so much."""
    return Completion(
        text='{"operations": []}',
        provider="scripted",
        model="scripted-1",
        prompt_tokens=tokens - 10,
        output_tokens=10,
        cached_tokens=0,
        cost=None if usd is None else Decimal(usd),
    )


@pytest.fixture
def spent(
    conversation: Conversation, scripted_provider: ScriptedProvider, project: Project
) -> ScriptedProvider:
    """The project may ask for 1,000 tokens a day, and has."""
    set_model_budget(project_id=project.id, by=PERSON, daily_tokens=1000, daily_usd=None)
    scripted_provider.answer_with(costing(1000))
    conversation.hear("One.")
    return scripted_provider


def test_past_the_budget_a_turn_waits_for_the_next_day_and_nobody_is_asked(
    spent: ScriptedProvider, conversation: Conversation
) -> None:
    turn = conversation.hear("Two.")

    tomorrow = datetime.combine(
        timezone.now().astimezone(UTC).date() + timedelta(days=1), datetime.min.time(), UTC
    )
    assert (turn.state, turn.error_code, turn.attempts) == (TurnState.PENDING, "budget", 0)
    assert turn.due_at is not None and abs((turn.due_at - tomorrow).total_seconds()) < 2
    assert "1000 of 1000 tokens" in turn.error
    assert len(spent.requests) == 1


def test_it_is_not_looked_at_again_and_again(spent: ScriptedProvider, conversation: Conversation) -> None:
    waiting = conversation.hear("Two.")
    turn = conversation.hear("Three.")

    assert waiting.due_at is not None
    assert Sweep().run(waiting.due_at - timedelta(seconds=1)) == 0
    assert conversation.drain().released == 0
    assert conversation.again(turn).claimed_at is None


def test_a_raised_budget_brings_the_turns_back_at_once(
    spent: ScriptedProvider, conversation: Conversation, project: Project
) -> None:
    turn = conversation.hear("Two.")
    spent.answer_with(answer(add("Likes two")))

    set_model_budget(project_id=project.id, by=PERSON, daily_tokens=2000, daily_usd=None)
    conversation.drain()

    settled = conversation.again(turn)
    assert (settled.state, settled.error_code, settled.waiting_since) == (TurnState.APPLIED, "", None)


def test_a_new_day_begins_with_nothing_spent(
    spent: ScriptedProvider, conversation: Conversation, project: Project
) -> None:
    turn = conversation.hear("Two.")
    ModelSpending.objects.update(day=timezone.now().astimezone(UTC).date() - timedelta(days=1))
    Turn.objects.filter(id=turn.id).update(due_at=timezone.now())
    spent.answer_with(answer())

    conversation.drain()

    assert conversation.again(turn).state == TurnState.APPLIED
    assert model_budget_of(project.id).calls == 1


def test_what_calls_took_is_counted_whatever_became_of_them(
    conversation: Conversation, scripted_provider: ScriptedProvider, project: Project
) -> None:
    scripted_provider.answer_with("no json", "nor this", RateLimited(), Unauthorized(), answer())
    turn = conversation.hear("One.")
    assert turn.state == TurnState.FAILED
    for _ in range(3):
        Turn.objects.update(due_at=timezone.now())
        conversation.hear("Two.")

    kept = ModelCall.objects.aggregate(prompt=Sum("prompt_tokens"), output=Sum("output_tokens"))
    budget = model_budget_of(project.id)
    assert budget.calls == ModelCall.objects.count() >= 4
    assert budget.tokens == kept["prompt"] + kept["output"]
    assert [row.tokens for row in read_spending()] == [budget.tokens]
    told = Client().get("/metrics").content.decode()
    assert f'rapport_project_tokens_today{{project="{project.id}"}} {budget.tokens}.0' in told


def test_a_budget_in_dollars_goes_by_the_prices_that_are_known_and_says_which_are_not(
    conversation: Conversation, scripted_provider: ScriptedProvider, project: Project
) -> None:
    set_model_budget(project_id=project.id, by=PERSON, daily_tokens=None, daily_usd=Decimal("0.5"))
    scripted_provider.answer_with(costing(100), costing(100, "0.2"), costing(100, "0.3"))
    for text in ("One.", "Two.", "Three."):
        assert conversation.hear(text).state == TurnState.APPLIED

    turn = conversation.hear("Four.")

    budget = model_budget_of(project.id)
    assert (turn.error_code, budget.spent) == ("budget", "0.50 of 0.50 USD")
    assert (budget.cost, budget.unpriced) == (Decimal("0.5"), 1)


def test_the_settings_budget_holds_for_a_project_without_one_of_its_own(
    conversation: Conversation, scripted_provider: ScriptedProvider, project: Project, settings: Settings
) -> None:
    settings.PROJECT_DAILY_TOKENS = 50
    scripted_provider.otherwise = costing(100)
    conversation.hear("One.")
    waiting = conversation.hear("Two.")
    assert waiting.error_code == "budget"

    set_model_budget(project_id=project.id, by=PERSON, daily_tokens=0, daily_usd=None)
    conversation.drain()

    assert conversation.again(waiting).state == TurnState.APPLIED
    assert model_budget_of(project.id).daily_tokens is None


def test_another_project_goes_on(spent: ScriptedProvider, project: Project) -> None:
    assert model_budget_of(project.id).spent
    assert not model_budget_of(Project.objects.create(name="Another").id).spent


def test_a_preview_answers_429_that_says_when_to_come_back(
    spent: ScriptedProvider, api: Api, relationship: Relationship
) -> None:
    refused = api.post(f"/companions/{relationship.companion_id}/prompts/preview", {"messages": HELLO})

    assert refused.status == 429
    assert refused.body["type"] == "urn:rapport:problem:budget"
    assert "model budget for the day is spent: 1000 of 1000 tokens" in refused.body["detail"]
    assert 0 < int(refused.headers["Retry-After"]) <= 86_400
    assert len(spent.requests) == 1


def test_what_a_preview_takes_is_counted(
    api: Api, scripted_provider: ScriptedProvider, relationship: Relationship
) -> None:
    scripted_provider.answer_with(costing(300))

    api.post(f"/companions/{relationship.companion_id}/prompts/preview", {"messages": HELLO})

    read = api.get("/project/budget").body
    assert (read["tokens"], read["calls"], read["unpriced_calls"], read["spent"]) == (300, 1, 1, False)


def test_what_a_call_costs_is_told_in_plain_digits(
    api: Api, conversation: Conversation, scripted_provider: ScriptedProvider, relationship: Relationship
) -> None:
    scripted_provider.answer_with(costing(100, "0.0000002"))

    turn = conversation.hear("One.")

    [call] = api.get(f"/relationships/{relationship.id}/turns/{turn.id}").body["calls"]
    assert call["cost"] == api.get("/project/budget").body["usd"] == "0.00000020"


def test_a_replay_and_a_reply_are_refused_too(
    spent: ScriptedProvider, conversation: Conversation, relationship: Relationship, api: Api
) -> None:
    turn = Turn.objects.get()

    with pytest.raises(BudgetSpent):
        request_replay(relationship=relationship, template="Keep it.", turn_ids=[turn.id], by=PERSON)
    assert api.post("/chat/completions", HELLO_THERE).status == 429

    assert Turn.objects.count() == 1


def test_what_a_reply_takes_is_counted(
    relationship: Relationship, scripted_provider: ScriptedProvider, project: Project, api: Api
) -> None:
    scripted_provider.answer_with(costing(70))

    assert api.post("/chat/completions", HELLO_THERE).status == 200

    assert model_budget_of(project.id).tokens == 70
