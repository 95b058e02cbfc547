"""The relationship's row is the one lock: who claims or applies waits for whoever holds it, and then looks anew."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memory.ingestion.claim import claim_turns
from providers.llm.base import CompletionRequest
from relationships.models import ModelSpending, Project, Turn, TurnState
from relationships.services.model_budgets import PARTS, count_spending, model_budget_of
from relationships.services.sequence import lock_relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.distributed import somebody_waits_for_us
from tests.fixtures.turns import Conversation, answer, revise, update
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def at_work() -> Iterator[ThreadPoolExecutor]:
    """Another thread, with a connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        yield pool
        pool.submit(lambda: connection.close())  # the thread's own, not this one's


def wait_until_somebody_waits_for_us() -> None:
    wait_until(somebody_waits_for_us, what="somebody to wait for our lock")


def test_an_answer_waits_for_an_edit_that_is_under_way_and_gives_way_to_it(
    conversation: Conversation, scripted_provider: ScriptedProvider, at_work: ThreadPoolExecutor
) -> None:
    entry = conversation.remember("Drinks coffee")[0]
    turn = conversation.say("I drink tea now.")
    scripted_provider.answer_with(answer(update(1, "Drinks tea")), answer())
    asked: list[CompletionRequest] = []
    may_answer = Future[None]()

    def wait_for_the_edit(request: CompletionRequest) -> None:
        asked.append(request)
        may_answer.result(timeout=10)

    scripted_provider.while_answering = wait_for_the_edit
    drained = at_work.submit(conversation.drain)
    wait_until(lambda: asked, what="the model to be asked")
    with transaction.atomic():
        revise(entry, content="Drinks decaf")
        may_answer.set_result(None)
        wait_until_somebody_waits_for_us()

    assert drained.result(timeout=10).applied == 1
    assert conversation.again(turn).state == TurnState.APPLIED
    assert conversation.contents == ["Drinks decaf"]
    assert len(asked) == 2


def test_a_claim_waits_for_one_that_is_under_way_and_then_finds_nothing(
    conversation: Conversation, at_work: ThreadPoolExecutor
) -> None:
    conversation.say("One.")

    with transaction.atomic():
        first = claim_turns(relationship_id=conversation.relationship.id, worker="a")
        second = at_work.submit(claim_turns, relationship_id=conversation.relationship.id, worker="b")
        wait_until_somebody_waits_for_us()

    assert first is not None
    assert second.result(timeout=10) is None


def test_a_claim_that_waited_takes_no_turn_behind_one_that_came_back_meanwhile(
    conversation: Conversation, at_work: ThreadPoolExecutor
) -> None:
    first, _ = conversation.say("One."), conversation.say("Two.")
    rows = Turn.objects.for_relationship(first.relationship_id).filter(id=first.id)
    rows.update(state=TurnState.FAILED, due_at=None)

    with transaction.atomic():
        lock_relationship(first.relationship_id)
        late = at_work.submit(claim_turns, relationship_id=first.relationship_id, worker="b")
        wait_until_somebody_waits_for_us()
        rows.update(state=TurnState.PENDING, due_at=timezone.now())

    assert late.result(timeout=10) is None


def test_a_turn_that_comes_in_meanwhile_waits_until_the_batch_before_it_is_settled(
    conversation: Conversation,
) -> None:
    conversation.say("One.")
    first = claim_turns(relationship_id=conversation.relationship.id, worker="a")
    conversation.say("Two.")

    assert first is not None and len(first.turns) == 1
    assert claim_turns(relationship_id=conversation.relationship.id, worker="b") is None


def test_the_projects_count_of_the_day_is_nobodys_while_a_model_answers(
    conversation: Conversation, scripted_provider: ScriptedProvider, at_work: ThreadPoolExecutor
) -> None:
    scripted_provider.answer_with(answer(), answer())
    conversation.hear("I like tea.")
    taken: list[int] = []

    def take_it(request: CompletionRequest) -> None:
        taken.append(at_work.submit(_locked_counts).result(timeout=10))

    scripted_provider.while_answering = take_it
    turn = conversation.hear("And cake.")

    assert (turn.state, taken) == (TurnState.APPLIED, [1])
    assert model_budget_of(turn.project_id).calls == 2


def test_two_of_a_project_are_counted_at_the_same_time(project: Project, at_work: ThreadPoolExecutor) -> None:
    def count() -> None:
        while _part() == ours:  # by chance two connections share a row
            connection.close()
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '5s'")
            count_spending(project.id, [None], answered=False, now=timezone.now())

    with transaction.atomic():
        ours = _part()
        count_spending(project.id, [None], answered=False, now=timezone.now())
        at_work.submit(count).result(timeout=10)

    assert model_budget_of(project.id).calls == 2


def _part() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid() %% %s", [PARTS])
        part: int = cursor.fetchone()[0]
    return part


def _locked_counts() -> int:
    """How many rows could be locked without waiting; raises where another holds one."""
    with transaction.atomic():
        return len(ModelSpending.objects.select_for_update(nowait=True))
