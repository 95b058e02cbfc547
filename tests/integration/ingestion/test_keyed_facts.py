"""keyed_facts behind both vendors' protocols: a tool call, a strict vocabulary, values that hold until the next."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.models import EntryState, ScratchpadEntry
from relationships.models import Turn
from tests.fixtures.turns import operations_of
from tests.integration.ingestion.conftest import Told, behind_both_vendors


@behind_both_vendors
def test_the_model_must_call_the_tool_whose_keys_are_the_vocabulary(told: Told) -> None:
    told.under("keyed_facts", keyed_facts={"keys": [{"name": "belt", "type": "goal"}]})

    told.hear("I live in Porto with Rex.", answers=("record_porto",))

    sent = str(told.server.script.requests[0].body)
    assert "record_memories" in sent
    assert "'belt'" in sent and "'city'" in sent


@behind_both_vendors
def test_values_are_kept_under_their_keys_with_what_they_rest_on(told: Told) -> None:
    told.under("keyed_facts")

    turn = told.hear("I live in Porto with Rex.", answers=("record_porto",))

    kept = {entry.key: entry for entry in told.conversation.entries}
    assert {key: entry.content for key, entry in kept.items()} == {
        "city": "city: Porto",
        "pet": "pet: Rex, a dog",
    }
    assert kept["city"].valid_from == turn.occurred_at
    assert (kept["city"].single_valued, kept["pet"].single_valued) == (True, True)
    assert sorted(told.embedded_afterwards) == ["city: Porto", "pet: Rex, a dog"]
    assert all(len(entry.source_message_ids) == 1 for entry in kept.values())
    reasons = [judged["reason"] for judged in operations_of(turn) if judged["verdict"] == "refused"]
    assert reasons == [
        "key 'shoe_size' is not in the vocabulary",
        "its confidence is 0.20; what is kept begins at 0.50",
    ]


def test_a_new_value_supersedes_the_old_also_under_a_near_key(told: Told) -> None:
    told.under("keyed_facts")
    told.hear("I live in Porto with Rex.", answers=("record_porto",))

    turn = told.hear("I moved to Lisbon and got Mia.", answers=("record_lisbon",))

    assert sorted(told.conversation.contents) == ["city: Lisbon", "pet: Mia, a cat"]
    old = ScratchpadEntry.objects.get(content="city: Porto")
    new = ScratchpadEntry.objects.get(content="city: Lisbon")
    assert old.state == EntryState.SUPERSEDED
    assert old.valid_to == new.valid_from == turn.occurred_at
    city = next(judged for judged in operations_of(turn) if judged["operation"]["value"] == "Lisbon")
    assert "current_city" in city["reason"]


def test_a_late_turn_does_not_overrule_a_newer_value(told: Told) -> None:
    told.under("keyed_facts")
    told.hear("I moved to Lisbon.", answers=("record_lisbon",))
    told.server.respond = None
    told.server.push(
        {
            "json": {
                "memories": [
                    {"type": "identity", "key": "city", "value": "Porto", "confidence": 1, "messages": [1]}
                ]
            }
        }
    )

    turn = told.conversation.hear("I live in Porto.", at=timezone.now() - timedelta(days=9))

    assert told.conversation.verdicts(turn) == [("refused", "a newer city is known")]
    assert "city: Lisbon" in told.conversation.contents


def test_a_companions_key_may_hold_several_values(told: Told) -> None:
    told.under(
        "keyed_facts", keyed_facts={"keys": [{"name": "pet", "type": "relationship", "single_valued": False}]}
    )
    told.hear("I live in Porto with Rex.", answers=("record_porto",))

    told.hear("I moved to Lisbon and got Mia.", answers=("record_lisbon",))

    assert sorted(told.conversation.contents) == ["city: Lisbon", "pet: Mia, a cat", "pet: Rex, a dog"]


def record(told: Told, said: str, *values: tuple[str, str], **more: object) -> Turn:
    """A turn of which the model records these values under their keys; asked again, it says nothing more."""
    common = {"type": "other", "confidence": 0.9, "messages": [1], **more}
    told.server.push(
        {"json": {"memories": [{"key": key, "value": value, **common} for key, value in values]}}
    )
    told.server.respond = lambda body: {"json": {"memories": []}}
    return told.conversation.hear(said)


def test_what_happens_stays_beside_what_happened_before(told: Told) -> None:
    told.under("keyed_facts")
    record(told, "We drove to the sea.", ("event", "road trip, 2022-12"))

    record(told, "I failed the test.", ("event", "failed the aptitude test, 2023-01"))

    assert sorted(told.conversation.contents) == [
        "event: failed the aptitude test, 2023-01",
        "event: road trip, 2022-12",
    ]


def test_how_it_went_takes_the_place_of_the_plan_and_rests_on_both(told: Told) -> None:
    told.under("keyed_facts")
    record(told, "I have an interview on Friday.", ("event", "interview at Acme on 2023-05-12"))

    record(told, "They took me!", ("event", "got the job at Acme, interview on 2023-05-12"), entry=1)

    [kept] = told.conversation.entries
    assert kept.content == "event: got the job at Acme, interview on 2023-05-12"
    assert len(kept.source_message_ids) == 2


def test_how_it_went_may_not_lose_the_day_without_being_asked(told: Told) -> None:
    told.under("keyed_facts")
    record(told, "I have an interview on Friday.", ("event", "interview at Acme on 2023-05-12"))

    record(told, "They took me!", ("event", "got the job"), entry=1)

    assert "Acme; 2023-05-12" in str(told.server.script.requests[-1].body)


@pytest.mark.parametrize(
    ("key", "entry"),
    [("event", None), ("hobby", 1), ("like", 1)],
    ids=["none named", "one value", "another key"],
)
def test_an_entry_that_is_named_for_nothing_changes_nothing_else(
    told: Told, key: str, entry: int | None
) -> None:
    told.under("keyed_facts", keyed_facts={"keys": [{"name": "like", "single_valued": False}]})
    record(told, "I box.", ("hobby", "boxing"))

    record(told, "I swim.", (key, "swimming"), entry=entry)

    kept = {"event": ["event: swimming", "hobby: boxing"], "hobby": ["hobby: swimming"]}
    assert sorted(told.conversation.contents) == kept.get(key, ["hobby: boxing", "like: swimming"])


@pytest.mark.parametrize(
    ("value", "rests_on"), [("Rex, a dog; Mia, a cat", 2), ("Rex, until 2023-05", 2), ("Mia, a cat", 1)]
)
def test_a_value_rests_on_what_the_old_rested_on_as_far_as_it_says_it(
    told: Told, value: str, rests_on: int
) -> None:
    told.under("keyed_facts")
    record(told, "Rex is my dog.", ("pet", "Rex, a dog"))

    record(told, "This is new.", ("pet", value))

    [kept] = told.conversation.entries
    assert (kept.content, len(kept.source_message_ids)) == (f"pet: {value}", rests_on)
