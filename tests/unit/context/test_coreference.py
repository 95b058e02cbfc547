"""Who is called "my boss" or "she" in a message is found by name, in entries and in what was said."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from context.answer import AssembledContext
from context.pipeline import build_context
from memory.entries.adding import add_entry
from memory.models import EntrySource, ScratchpadEntry, Tier
from relationships.models import Relationship
from tests.fixtures.contexts import NOON, hear
from tests.fixtures.turns import PERSON
from tests.wire import statements_sent

TODAY = datetime.now(UTC)
CHATTED = [f"The weather of day {day} was as dull as that of all the others" for day in range(30)]


def keep(
    relationship: Relationship, content: str, subject: str, tier: str = Tier.ARCHIVE, **more: Any
) -> ScratchpadEntry:
    return add_entry(
        relationship=relationship,
        values={
            "content": content,
            "type": "other",
            "subject": subject,
            "tier": tier,
            "effective_at": NOON,
            **more,
        },
        by=PERSON,
        source=EntrySource.API,
    )


def context_of(relationship: Relationship, message: str, **asked: Any) -> AssembledContext:
    return build_context(
        project_id=relationship.project_id, relationship_id=relationship.id, message=message, **asked
    )


@pytest.fixture
def told(relationship: Relationship) -> Relationship:
    """A life in which much was said since, so that what Ines drives is neither on the list nor among recent messages."""
    hear(relationship, "Ines bought a Volvo")
    keep(relationship, "Ines bought a Volvo", "Ines")
    for place, said in enumerate(CHATTED):
        hear(relationship, said)
        keep(relationship, f"Rosa sold picture {place}", "Rosa")
    return relationship


@pytest.mark.parametrize("known", [Tier.SCRATCHPAD, Tier.ARCHIVE])
def test_a_question_by_role_finds_what_entries_and_messages_tell_by_name(
    told: Relationship, known: Tier
) -> None:
    keep(told, "Ines is the boss", "Ines", known)

    assembled = context_of(told, "What does my boss drive?")

    shown = {report.name: report.text for report in assembled.layers}
    assert "Ines bought a Volvo" in shown["memory"]
    assert "Ines bought a Volvo" in shown["episodes"]
    assert "picture" not in shown["memory"]


def test_the_names_that_were_added_are_explained(told: Relationship) -> None:
    keep(told, "Ines is the boss", "Ines")

    asked = context_of(told, "What does my boss drive?", explain=True)
    plain = context_of(told, "Who bought a Volvo?", explain=True)

    reasons = {report.name: report.reason for report in asked.layers}
    for layer in ("memory", "episodes"):
        assert "for the message, with the name Ines, ranked" in reasons[layer]
    assert not any("with the name" in report.reason for report in plain.layers)


@pytest.mark.parametrize(("held", "days"), [("expires_at", 2), ("valid_to", 2), ("valid_from", 0)])
def test_an_entry_of_the_list_that_does_not_hold_now_does_not_say_who_it_is(
    told: Relationship, held: str, days: int
) -> None:
    keep(told, "Ines is the boss", "Ines", Tier.SCRATCHPAD, **{held: TODAY + timedelta(days=1)})

    now = TODAY + timedelta(days=days)
    assert "Volvo" not in context_of(told, "What does my boss drive?", now=now).system


@pytest.mark.parametrize("count", [1, 80])
def test_a_short_new_question_is_not_drowned_by_what_was_said_before(told: Relationship, count: int) -> None:
    keep(told, "Loves pizza", "user")
    hear(told, "; ".join(f"Rosa sold picture {place}" for place in range(count)), session="lake")

    assert "Loves pizza" in context_of(told, "and pizza?", session="lake").system


def test_without_an_entry_that_says_who_it_is_nobody_is_meant(told: Relationship) -> None:
    keep(told, "Ines argued with the boss", "Ines")

    assert "Volvo" not in context_of(told, "What does my boss drive?").system


@pytest.mark.parametrize(
    "question", ["And what does she drive?", "Und was fährt sie?", "And the driving licence?"]
)
def test_a_question_by_she_finds_what_is_told_of_whom_the_person_named_just_before(
    told: Relationship, question: str
) -> None:
    hear(told, "I met Ines at the lake", session="lake")

    assert "Ines bought a Volvo" in context_of(told, question, session="lake").system
    assert "Volvo" not in context_of(told, question, session="another").system


def test_she_may_be_whom_the_person_called_by_role_just_before(told: Relationship) -> None:
    keep(told, "Ines is the boss", "Ines")
    hear(told, "I met my boss at the lake", session="lake")

    assert "Ines bought a Volvo" in context_of(told, "And what does she drive?", session="lake").system


def test_what_is_told_by_role_is_found_as_before(told: Relationship) -> None:
    keep(told, "Ines is the boss", "Ines")
    keep(told, "The boss drives a Fiat on Sundays", "boss")

    assembled = context_of(told, "What does my boss drive?")

    assert assembled.system.index("Fiat") < assembled.system.index("Volvo")


@pytest.mark.parametrize(
    ("question", "known", "statements"),
    [
        ("What does somebody drive who sold a picture?", Tier.ARCHIVE, 5),
        ("Which picture does my boss like?", Tier.SCRATCHPAD, 5),
        ("Which picture does my boss like?", Tier.ARCHIVE, 7),
    ],
    ids=["no role", "the list says it", "the archive says it"],
)
def test_only_who_is_not_on_the_list_is_looked_up(
    told: Relationship, question: str, known: Tier, statements: int
) -> None:
    keep(told, "Ines is the boss", "Ines", known)
    hear(told, "Somebody and my boss like to drive")

    with statements_sent() as sent:
        context_of(told, question)

    assert len(sent) == statements
