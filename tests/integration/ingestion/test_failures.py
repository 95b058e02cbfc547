"""What happens when the model, the provider or a colleague gets in the way. Nothing is lost, nothing is hidden."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.utils import timezone
from pytest_django.fixtures import Settings

from memory.ingestion.intake import retry_turn
from memory.ingestion.pipeline import INTERNAL_TRIES
from memory.models import EntryRevision, ModelCall, OperationResult
from providers.errors import ContentBlocked, RateLimited, Unauthorized
from providers.llm.base import CompletionRequest
from relationships.ids import uuid7
from relationships.models import Companion, Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update

NOTHING: dict[str, list[object]] = {"operations": []}


def test_an_answer_that_is_no_json_is_asked_again_with_the_error(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with('{"operations": [{"op": "add", "con', answer(add("Likes tea")))

    turn = conversation.hear("I like tea.")

    assert turn.state == TurnState.APPLIED
    assert conversation.contents == ["Likes tea"]
    repair = scripted_provider.requests[1].history
    assert repair[0] == ("assistant", '{"operations": [{"op": "add", "con')
    assert "not JSON" in repair[1][1]
    assert repair[1][1].endswith('with the JSON object only: {"operations": []} if there is nothing.')
    assert [call.purpose for call in ModelCall.objects.order_by("id")] == ["ingestion", "repair"]


def test_a_turn_fails_visibly_when_the_second_answer_is_no_json_either(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with("sorry", "still sorry")

    turn = conversation.hear("I like tea.")

    assert (turn.state, turn.error_code) == (TurnState.FAILED, "unparsable_answer")
    assert "not JSON" in turn.error
    assert len(turn.model_call_ids) == 2


def test_one_bad_turn_of_a_batch_fails_alone_and_the_others_keep_their_order(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    def judge(request: CompletionRequest) -> object:
        assert request.prompt_data is not None
        texts = [message.content for message in request.prompt_data.messages]
        if "poison" in texts:
            return ContentBlocked("The provider refuses this.")
        return answer(*(add(text, messages=[number]) for number, text in enumerate(texts, start=1)))

    scripted_provider.otherwise = judge
    turns = [conversation.say(text) for text in ("one", "two", "poison", "four", "five")]

    conversation.drain()

    states = [conversation.again(turn).state for turn in turns]
    assert states == ["applied", "applied", "failed", "applied", "applied"]
    assert conversation.again(turns[2]).error_code == "content_blocked"
    added = [revision.after["content"] for revision in conversation.revisions if revision.after]
    assert added == ["one", "two", "four", "five"]


def test_a_late_retry_changes_nothing_that_is_newer(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    monday = timezone.now() - timedelta(days=3)
    scripted_provider.answer_with(ContentBlocked("no"), answer(add("Lives in Lisbon", key="city")))
    failed = conversation.hear("I live in Porto.", at=monday)
    conversation.hear("I live in Lisbon.", at=monday + timedelta(days=1))
    scripted_provider.answer_with(answer(update(1, "Lives in Porto"), add("Lives in Porto", key="city")))

    retry_turn(relationship_id=failed.relationship_id, turn_id=failed.id)
    conversation.drain()

    assert conversation.again(failed).state == TurnState.APPLIED
    assert conversation.contents == ["Lives in Lisbon"]
    assert [verdict for verdict, _ in conversation.verdicts(failed)] == ["refused", "refused"]


def test_a_passing_failure_blocks_the_relationship_until_its_retry(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(RateLimited("slow down", retry_after=30))
    first = conversation.hear("One.")
    second = conversation.hear("Two.")

    assert (first.state, first.error_code, first.attempts) == (TurnState.PENDING, "rate_limited", 1)
    assert first.due_at is not None and first.due_at > timezone.now() + timedelta(seconds=25)
    assert second.state == TurnState.PENDING
    assert len(scripted_provider.requests) == 1

    Turn.objects.for_relationship(first.relationship_id).filter(id=first.id).update(due_at=timezone.now())
    scripted_provider.answer_with(answer(add("One", messages=[1]), add("Two", messages=[2])))
    conversation.drain()
    assert [conversation.again(turn).state for turn in (first, second)] == ["applied", "applied"]


def test_a_wrong_provider_key_never_uses_up_a_turn(
    conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 2
    scripted_provider.otherwise = Unauthorized("The key is wrong.")
    turn = conversation.say("One.")
    for _ in range(4):
        conversation.drain()
        Turn.objects.for_relationship(turn.relationship_id).update(due_at=timezone.now())

    assert conversation.again(turn).state == TurnState.PENDING
    assert conversation.again(turn).error_code == "unauthorized"


def test_after_many_passing_failures_a_turn_fails_visibly(
    conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 3
    scripted_provider.otherwise = RateLimited("slow down")
    turn = conversation.say("One.")
    for _ in range(3):
        conversation.drain()
        Turn.objects.filter(state=TurnState.PENDING).update(due_at=timezone.now())

    failed = conversation.again(turn)
    assert (failed.state, failed.error_code) == (TurnState.FAILED, "rate_limited")
    assert "given up after 3 tries" in failed.error


def look_up_what_is_not_there() -> None:
    raise KeyError("secret")


def ask_for_more_columns_than_there_may_be() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(['1'] * 1665)} AS secret")


@pytest.mark.parametrize("mistake", [look_up_what_is_not_there, ask_for_more_columns_than_there_may_be])
def test_a_mistake_of_ours_is_found_and_steps_aside_without_its_text(
    mistake: Callable[[], None], conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    def trip(request: CompletionRequest) -> object:
        assert request.prompt_data is not None
        if any("secret" in message.content for message in request.prompt_data.messages):
            mistake()
        return NOTHING

    scripted_provider.otherwise = trip
    bad, good = conversation.say("secret"), conversation.say("fine")
    for _ in range(3):
        conversation.drain()
        Turn.objects.filter(state=TurnState.PENDING).update(due_at=timezone.now())

    failed = conversation.again(bad)
    assert (failed.state, failed.error_code) == (TurnState.FAILED, "internal_error")
    assert "secret" not in failed.error
    assert conversation.again(good).state == TurnState.APPLIED


def test_a_worker_whose_database_was_migrated_by_another_version_leaves_turns_to_that(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """As amid an upgrade, where it may not know a column."""

    def trip(request: CompletionRequest) -> object:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT gone FROM relationships_turn")
        return NOTHING

    newer = MigrationRecorder.Migration.objects.create(app="memory", name="9999_newer")
    scripted_provider.otherwise = trip
    turn = conversation.say("fine")
    for _ in range(INTERNAL_TRIES + 1):
        conversation.drain()
        Turn.objects.filter(state=TurnState.PENDING).update(due_at=timezone.now())
    waiting = conversation.again(turn)
    assert (waiting.state, waiting.error_code, waiting.attempts) == (TurnState.PENDING, "internal_error", 0)

    newer.delete()
    for _ in range(INTERNAL_TRIES):
        conversation.drain()
        Turn.objects.filter(state=TurnState.PENDING).update(due_at=timezone.now())
    assert conversation.again(turn).state == TurnState.FAILED


def test_what_goes_wrong_within_the_database_itself_is_waited_out_as_long_as_a_provider(
    conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    def trip(request: CompletionRequest) -> object:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE 'cache lookup failed' USING ERRCODE = 'XX000'; END $$")
        return NOTHING

    scripted_provider.otherwise = trip
    turn = conversation.say("fine")
    for _ in range(INTERNAL_TRIES + 1):
        conversation.drain()
        Turn.objects.filter(state=TurnState.PENDING).update(due_at=timezone.now())
    waiting = conversation.again(turn)
    assert (waiting.state, waiting.error_code, waiting.attempts) == (
        TurnState.PENDING,
        "internal_error",
        INTERNAL_TRIES + 1,
    )

    scripted_provider.otherwise = NOTHING
    conversation.drain()
    assert conversation.again(turn).state == TurnState.APPLIED

    settings.MAX_ATTEMPTS, scripted_provider.otherwise = 2, trip
    always = conversation.say("fine too")
    for _ in range(2):
        conversation.drain()
        Turn.objects.filter(state=TurnState.PENDING).update(due_at=timezone.now())
    assert conversation.again(always).state == TurnState.FAILED  # it would keep all after it waiting for ever


def test_a_stored_configuration_that_has_become_wrong_fails_the_turn_with_its_reason(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    turns = [conversation.say(text) for text in ("One.", "Two.")]
    Companion.objects.update(config={"ingestion": {"provider": "gone"}})

    conversation.drain()

    failed = conversation.again(turns[0])
    assert (failed.state, failed.error_code) == (TurnState.FAILED, "invalid_configuration")
    assert "'gone' is not a known provider" in failed.error
    assert conversation.again(turns[1]).state == TurnState.FAILED


def first_revision_in_the_way(turn: Turn) -> Model:
    return EntryRevision(
        relationship_id=turn.relationship_id,
        project_id=turn.project_id,
        entry_id=uuid7(),
        entry_version=1,
        seq=turn.seq + 2,  # where its first revision would go, behind its one message
        event="none",
        actor_kind="policy",
        recorded_at=timezone.now(),
        effective_at=timezone.now(),
    )


def first_result_in_the_way(turn: Turn) -> Model:
    """Of the statement that stores the calls too."""
    ids = {"relationship_id": turn.relationship_id, "project_id": turn.project_id, "turn_id": turn.id}
    return OperationResult(id=uuid7(), **ids, number=0, kind="add", operation={}, verdict="applied")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("in_the_way", [first_revision_in_the_way, first_result_in_the_way])
def test_the_calls_that_led_to_a_mistake_of_ours_are_kept(
    in_the_way: Callable[[Turn], Model], conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    turn = conversation.say("One.")
    in_the_way(turn).save(force_insert=True)
    scripted_provider.otherwise = answer(add("One"))

    conversation.drain()

    waiting = conversation.again(turn)
    assert (waiting.state, waiting.error_code) == (TurnState.PENDING, "internal_error")
    assert len(waiting.model_call_ids) == 1
    assert waiting.model_call_ids == list(ModelCall.objects.values_list("id", flat=True))
    assert not conversation.contents
