"""However much a relationship holds, a wish is looked for within bounds; what was not looked at is counted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.mending import collecting
from memory.mending.candidates import Candidate, scope_of
from memory.mending.echoes import having_any, tick_echoes
from memory.mending.spoken_wishes import MOST_WISHES
from memory.models import MendingPlan, ScratchpadEntry
from memory.words import Word, words_of
from relationships.ids import uuid7
from relationships.models import Message, Relationship
from tests.fixtures.api import Api
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation
from tests.fixtures.workspaces import whole
from tests.growth import MOST, growth

OLD, FORGET = "Has a tame walrus", {"what": "the walrus", "dry_run": True}


@pytest.fixture
def many(conversation: Conversation) -> Relationship:
    conversation.read_by_rules()
    remember(conversation.relationship, OLD, effective_at=timezone.now() - timedelta(days=1))
    more(conversation.relationship)
    return whole(conversation.relationship)


def more(relationship: Relationship) -> None:
    there = collecting.entries_of(scope_of(whole(relationship), "x")).count()
    remember(
        relationship,
        *(f"Knows fact {there + number}" for number in range(300)),
        effective_at=timezone.now(),
    )


def test_what_is_judged_does_not_grow_with_what_is_remembered(many: Relationship) -> None:
    scope = scope_of(many, "the walrus")
    some = collecting.find_candidates(scope)
    more(many)
    twice = collecting.find_candidates(scope)
    for candidates, _, unread in (some, twice):
        assert len(candidates) == collecting.NEWEST + 1 and unread == 0
        assert OLD in [one.text for one in candidates]


def test_what_was_not_looked_at_is_told(
    api: Api, at: str, many: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_plan = api.post(f"{at}/forget", FORGET).body
    assert (whole_plan["left_out"], [item["sentence"] for item in whole_plan["items"]]) == (0, [OLD])
    monkeypatch.setattr(collecting, "MOST_READ", 3000)  # characters: some 200 entries

    plan = api.post(f"{at}/forget", FORGET).body

    assert plan["items"] == [] and 50 < plan["left_out"] < 150
    assert MendingPlan.objects.filter(left_out=plan["left_out"]).count() == 1


def test_many_wishes_of_one_reading_share_what_is_read_and_tell_what_was_not(
    conversation: Conversation, many: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each read as much as one alone: fifty, a few thousand characters, held a worker for a minute."""
    monkeypatch.setattr(collecting, "MOST_READ", 12_000)  # characters: all there is

    def left_out(wishes: int) -> list[int]:
        MendingPlan.objects.all().delete()
        conversation.hear(*(f"Forget that I have a tame walrus number {n}." for n in range(wishes)))
        return list(MendingPlan.objects.values_list("left_out", flat=True))

    assert left_out(MOST_WISHES)[-1] == 0
    few = left_out(4 * MOST_WISHES)
    assert len(few) == 4 * MOST_WISHES and min(few) > 50


def test_everything_goes_in_as_many_plans_as_it_takes(
    api: Api, at: str, many: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "ALL_AT_ONCE", 200)
    everything = {"what": "everything"}
    left: list[int] = []
    while not left or left[-1]:
        left.append(api.post(f"{at}/forget", everything).body["left_out"])
    assert left == [101, 0] and api.get(f"{at}/entries").body["items"] == []


def test_messages_are_searched_for_an_entrys_words_in_time_that_grows_with_both(many: Relationship) -> None:
    scope = scope_of(many, "the walrus")

    def made(size: int) -> tuple[list[Candidate], list[Word]]:
        text = " ".join(f"Place{number:x}x" for number in range(size))
        wanted = words_of(" ".join(f"Qualm{number:x}" for number in range(size)))
        return [Candidate("message", uuid7(), f"{text} {number}") for number in range(8)], wanted

    said = [Candidate("message", uuid7(), f"Was {where}.") for where in ("w Krakowie", "in Krakatau", "ill")]
    assert having_any(scope, said, words_of("Kraków")) == said[:1]
    assert growth(lambda case: having_any(scope, *case), made, size=300) < MOST


def test_messages_that_were_not_searched_for_an_entrys_words_are_told(
    api: Api, at: str, conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.read_by_rules()
    conversation.exchange(*(f"He is in Rovaniemi, again {number}." for number in range(40)))
    said = list(Message.objects.for_relationship(conversation.relationship.id).values_list("id", flat=True))
    remember(conversation.relationship, "Has a tame walrus in Rovaniemi")
    ScratchpadEntry.objects.filter(content__contains="Rovaniemi").update(source_message_ids=said)
    whole_plan = api.post(f"{at}/forget", FORGET).body
    assert (whole_plan["left_out"], len(whole_plan["items"])) == (0, 41)
    monkeypatch.setattr(collecting, "MOST_KEPT", 500)  # characters: some 18 messages

    plan = api.post(f"{at}/forget", FORGET).body

    assert 10 < plan["left_out"] < 30 and len(plan["items"]) == 41 - plan["left_out"]
    # Also where the messages of an entry are too many, and everything else was read.
    row = ScratchpadEntry.objects.get(content__contains="Rovaniemi")
    entry = Candidate("entry", row.id, row.content, cites=said)
    scope, found = scope_of(whole(conversation.relationship), "the walrus"), list[Candidate]()
    assert tick_echoes(scope, found, [entry]) == 40 - len(found) == plan["left_out"]
