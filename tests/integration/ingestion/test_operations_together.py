"""Operations of one answer that touch the same texts, keys and details: each is judged as the others left it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.entries.editing import merge_entries
from memory.models import EntryState, ScratchpadEntry, Tier
from relationships.models import Message, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import PERSON, Conversation, add, answer, delete, update

MARCH = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_the_same_words_about_somebody_else_are_another_entry_and_a_repeat_of_them_is_none(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Likes tea"), add("Likes tea", subject="Ana")), answer(add("likes tea.", subject="Ana"))
    )

    conversation.hear("Ana and I like tea.")
    turn = conversation.hear("Ana likes tea, I said.")

    assert sorted(entry.subject for entry in conversation.entries) == ["Ana", "user"]
    assert conversation.verdicts(turn)[0][0] == "none"


@pytest.mark.parametrize("soft_budget", [20, 2000], ids=["asked to condense", "not asked"])
def test_entries_that_are_made_one_in_fewer_words_rest_on_what_they_rested_on_and_were_told_then(
    conversation: Conversation, scripted_provider: ScriptedProvider, soft_budget: int
) -> None:
    kept = {"overflow": "keep", "soft_budget": soft_budget}
    plan, more = "Planned to hike to the hut on 2026-03-10", "The hike of 2026-03-10 is with Ana and her dog"
    whole = "Hike to the hut on 2026-03-10, planned with Ana and her dog"
    scripted_provider.answer_with(
        answer(add(plan, type="event", happens_at="2026-03-10")),
        answer(add(more, type="event", happens_at="2026-03-10")),
        answer(*[update(entry, whole, messages=()) for entry in (1, 2)]),
    )

    said = ["We hike to the hut on the 10th.", "Ana comes along with her dog.", "The kitchen is yellow now."]
    days = [MARCH + timedelta(days=after) for after in (0, 1, 30)]
    turns = [conversation.hear(text, at=day, ingestion=kept) for text, day in zip(said, days, strict=True)]

    if soft_budget == 20:
        (entry,) = conversation.entries
        assert (entry.content, entry.effective_at) == (whole, days[1])
        cited = Message.objects.for_relationship(entry.relationship_id).order_by("occurred_at")
        assert [row.content for row in cited if row.id in entry.source_message_ids] == said[:2]
    else:
        assert sorted(conversation.contents) == [plan, more]
        assert conversation.verdicts(turns[2]) == [("refused", "rests on no new message")] * 2


@pytest.mark.parametrize(
    ("text", "told", "left"),
    [
        ("Ana and Maya love the sea", {}, ["Ana"]),
        ("Ana and Maya love the sea", {"subject": "user"}, ["Ana", "user"]),
        ("Loves the sea", {}, ["Ana", "user"]),
    ],
    ids=["names both", "said to be another's", "names nobody"],
)
def test_updates_to_one_text_make_entries_one_whomever_they_were_about(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    text: str,
    told: dict[str, Any],
    left: list[str],
) -> None:
    scripted_provider.answer_with(
        answer(add("Loves the sea a lot", subject="Ana"), add("Loves the sea too")),
        answer(update(1, text), update(2, text, **told)),
    )

    conversation.hear("Ana loves the sea, as I do.")
    conversation.hear("Yes, both of us.")

    assert sorted((entry.subject, entry.content) for entry in conversation.entries) == [
        (subject, text) for subject in left
    ]


def test_an_update_that_only_adds_a_detail_is_carried_out(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Interview at Acme")),
        answer(update(1, "Interview at Acme", type="event", happens_at="2026-03-14T09:00:00Z")),
        answer(update(1, "Interview at Acme", type="event")),
    )

    for text in ("I have an interview at Acme.", "It is on the 14th.", "The interview, you know."):
        conversation.hear(text)

    entry = conversation.entries[0]
    assert (entry.type, entry.happens_at) == ("event", "2026-03-14T09:00+00:00")
    assert [revision.event for revision in conversation.revisions] == ["add", "update", "none"]


def test_each_entry_may_take_over_the_text_that_another_gave_up(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember(*(f"Runs {number}" for number in range(8)))
    known = [f"Runs {number}" for number in range(8)]
    moved_down = [update(number + 1, text) for number, text in enumerate(known, start=1) if number < 8]
    scripted_provider.answer_with(answer(add(known[7]), update(1, "Runs 8"), *moved_down))

    turn = conversation.hear("All of it has moved on.")

    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["none", *["applied"] * 8]
    assert sorted(conversation.contents) == sorted(["Runs 8", *known[:7]])


def test_a_keyed_entry_that_turns_out_to_be_about_somebody_else_supersedes_theirs(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(
            add("Lives in Lisbon", key="city", messages=[1]),
            add("Lives in Porto", key="city", subject="Ana", messages=[2]),
        )
    )
    conversation.hear("I live in Lisbon.", "Ana lives in Porto.")
    number = conversation.number_of("Lives in Porto")
    scripted_provider.answer_with(answer(update(number, "Lives in Porto", subject="user")))

    conversation.hear("No, Porto is where I live now.")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [("user", "Lives in Porto")]
    assert ScratchpadEntry.objects.get(content="Lives in Lisbon").state == EntryState.SUPERSEDED


@pytest.mark.parametrize(
    ("held_by", "reason"),
    [
        ({"effective_at": MARCH + timedelta(days=30)}, "a newer city is known"),
        (
            {"effective_at": MARCH - timedelta(days=30), "read_only": True},
            "the entry that holds city is read-only",
        ),
    ],
    ids=["newer", "read-only"],
)
def test_a_key_that_may_not_be_taken_is_left_and_the_operation_refused(
    conversation: Conversation, scripted_provider: ScriptedProvider, held_by: dict[str, object], reason: str
) -> None:
    for subject, about in (("user", held_by), ("Ana", {"effective_at": MARCH - timedelta(days=1)})):
        city = {"type": "identity", "key": "city", "single_valued": True, "subject": subject}
        conversation.remember("Where I live" if subject == "user" else "Where she lives", **city, **about)
    before = conversation.contents
    number = conversation.number_of("Where she lives")
    scripted_provider.answer_with(
        answer(update(number, "Lives in Porto", subject="user"), add("Lives in Faro", key="city"))
    )

    turn = conversation.hear("I live in Porto, or Faro.", at=MARCH)

    assert conversation.verdicts(turn) == [("refused", reason)] * 2
    assert conversation.contents == before


def test_of_two_entries_that_say_the_same_as_different_types_the_second_is_found_when_the_first_goes(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    for type, content in (("preference", "Tea"), ("goal", "Tea"), ("goal", "Some tea")):
        conversation.remember(content, type=type, effective_at=MARCH)
    numbers = {
        (entry.type, entry.content): place
        for place, entry in enumerate(sorted(conversation.entries, key=lambda entry: entry.id), start=1)
    }
    # Whichever of the two the look-up holds: one goes, and the other still says it.
    scripted_provider.answer_with(
        answer(delete(numbers["preference", "Tea"]), update(numbers["goal", "Some tea"], "Tea"))
    )

    turn = conversation.hear("Some tea: any tea.")

    assert turn.state == TurnState.APPLIED
    assert [(entry.type, entry.content) for entry in conversation.entries] == [("goal", "Tea")]


@pytest.mark.parametrize("by", ["the model", "a person"])
@pytest.mark.parametrize("ends", [None, 4], ids=["stays", "ends later"])
def test_what_is_made_one_is_on_the_list_pinned_and_lasts_as_either_was(
    conversation: Conversation, scripted_provider: ScriptedProvider, by: str, ends: int | None
) -> None:
    other, kept = (conversation.remember(text)[0] for text in ("Has a sister, Ana", "Ana is here"))
    days = [None if day is None else timezone.now() + timedelta(days=day) for day in (2, ends)]
    rows = ScratchpadEntry.objects.for_relationship(kept.relationship_id)
    rows.filter(id=kept.id).update(
        tier=Tier.ARCHIVE if by == "a person" else Tier.SCRATCHPAD, expires_at=days[0]
    )
    rows.filter(id=other.id).update(pinned=True, expires_at=days[1], happens_at="2026-03-10")
    both = "Has a sister, Ana, who is here"
    if by == "the model":
        numbers = conversation.number_of(kept.content), conversation.number_of(other.content)
        scripted_provider.answer_with(answer(*[update(number, both) for number in numbers]))
        conversation.hear("It rains.")
    else:
        kept, other = rows.get(id=kept.id), rows.get(id=other.id)
        merge_entries(kept=kept, other=other, content=both, by=PERSON, how="by hand")

    [one] = conversation.entries
    assert (one.id, one.tier, one.pinned, one.expires_at) == (kept.id, Tier.SCRATCHPAD, True, days[1])
    assert one.happens_at == "2026-03-10", "the one that was kept had none"
