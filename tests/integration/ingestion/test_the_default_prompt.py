"""What the default strategy asks and understands, beyond single operations: order, citations, dates, versions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.models import EntryState, IngestionPrompt, OperationResult, ScratchpadEntry
from providers.errors import ProviderUnavailable
from relationships.models import Companion, Message, Relationship, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, operations_of, update

MARCH = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
NOTHING = answer()
DAY = timedelta(days=1)


def replace(entry: int, content: str, **fields: Any) -> dict[str, Any]:
    return {"op": "replace", "entry": entry, "content": content, "messages": [1], **fields}


def test_all_before_what_is_new_is_what_was_asked_last_time(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """A vendor's prompt cache serves the longest beginning that two questions share."""
    scripted_provider.answer_with(
        answer(add("Likes tea"), add("Has a cat")), answer(add("Runs on Sundays")), NOTHING
    )

    for day, text in enumerate(("I like tea, I have a cat.", "I run on Sundays.", "It rains.")):
        conversation.hear(text, at=MARCH + day * DAY)

    _, second, third = scripted_provider.requests
    shared = second.prompt.split("\n\nEarlier messages")[0]
    assert "[2] (other, told 2026-03-02) Has a cat" in shared
    assert second.system == third.system
    assert third.prompt.startswith(f"{shared}\n[3] (other, told 2026-03-03) Runs on Sundays\n")


def test_an_entry_keeps_its_number_when_it_is_changed(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Likes tea", "Has a cat")
    scripted_provider.answer_with(answer(update(1, "Likes green tea")), NOTHING)

    conversation.hear("Green tea, that is.")
    conversation.hear("It rains.")

    lines = [line for line in scripted_provider.requests[1].prompt.splitlines() if line.startswith("[")]
    assert lines[0].startswith("[1] ") and lines[0].endswith("Likes green tea")
    assert lines[1].startswith("[2] ") and lines[1].endswith("Has a cat")


def test_earlier_messages_may_be_cited_beside_a_new_one_but_not_alone(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        NOTHING,
        answer(
            add("Wants to go on Tuesdays", messages=[1001, 1]),
            add("Cites only what was read before", messages=[1001]),
            add("Cites what is not there", messages=[1002]),
        ),
        NOTHING,
    )

    conversation.hear("Tuesday or Friday?", at=MARCH)
    turn = conversation.hear("Tuesdays it is.", at=MARCH + timedelta(minutes=1))

    assert conversation.verdicts(turn) == [
        ("applied", ""),
        ("refused", "rests on no new message"),
        ("refused", "rests on messages that were not shown"),
    ]
    [entry] = conversation.entries
    cited = Message.objects.for_relationship(entry.relationship_id).filter(id__in=entry.source_message_ids)
    assert [message.content for message in cited.order_by("seq")] == ["Tuesday or Friday?", "Tuesdays it is."]
    assert entry.effective_at == MARCH + timedelta(minutes=1)
    [result, *_] = OperationResult.objects.for_relationship(entry.relationship_id).of_turn(turn.id)
    assert set(result.message_ids) == set(entry.source_message_ids)


@pytest.mark.parametrize(
    ("fields", "happens_at", "expires_at"),
    [
        ({}, "2026-04", MARCH + 60 * DAY),
        ({"happens_at": "2026-05-01/2026-05-07"}, "2026-05-01/2026-05-07", MARCH + 60 * DAY),
        ({"happens_at": None}, None, MARCH + 60 * DAY),
        ({"expires_at": None}, "2026-04", None),
        ({"happens_at": "soon"}, "2026-04", MARCH + 60 * DAY),
    ],
    ids=["left out", "moved", "cleared", "no end", "not understood"],
)
def test_a_date_left_out_stays_and_null_takes_it_away(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    fields: dict[str, Any],
    happens_at: str | None,
    expires_at: datetime | None,
) -> None:
    ends = {"happens_at": "2026-04", "expires_at": MARCH + 60 * DAY}
    conversation.remember("A trip", type="event", effective_at=MARCH - DAY, **ends)
    scripted_provider.answer_with(answer(update(1, "A trip with somebody", **fields)))

    conversation.hear("I'm not going alone.", at=MARCH)

    assert "happens_at 2026-04, expires_at 2026-05-01) A trip" in scripted_provider.requests[0].prompt
    [entry] = conversation.entries
    assert (entry.happens_at, entry.expires_at) == (happens_at, expires_at)


@pytest.mark.parametrize(
    ("happens_at", "valid_to"),
    [("2026-02", datetime(2026, 2, 1, tzinfo=UTC)), (None, MARCH), ("2025", MARCH), ("2027", MARCH)],
    ids=["told", "not told", "before it was known", "ahead"],
)
def test_a_replaced_entry_held_until_the_new_state_began(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    happens_at: str | None,
    valid_to: datetime,
) -> None:
    conversation.remember("Works at the mill", type="identity", effective_at=MARCH - 50 * DAY)
    told = {"happens_at": happens_at} if happens_at else {}
    scripted_provider.answer_with(answer(replace(1, "Works at the harbour", **told)))

    conversation.hear("I work at the harbour now.", at=MARCH)

    old = ScratchpadEntry.objects.get(content="Works at the mill")
    [new] = conversation.entries
    assert (old.state, old.valid_to) == (EntryState.SUPERSEDED, valid_to)
    assert (new.content, new.type, new.happens_at) == ("Works at the harbour", "identity", happens_at)


def test_a_type_that_a_companion_does_not_have_is_sent_back_once_and_then_refused(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    types = {"types": [{"name": "diet"}, {"name": "taste"}]}
    scripted_provider.answer_with(
        answer(
            add("Is vegan", type="identity"), add("Loves leeks", type=""), add("Eats no nuts", type="Diets")
        ),
        answer(add("Is vegan", type="identity"), add("Loves leeks", type="taste"), add("Is 40", type="diet")),
    )

    turn = conversation.hear("I'm vegan, I love leeks, I eat no nuts.", ingestion=types)

    assert conversation.contents == ["Eats no nuts", "Loves leeks"]
    none = "is none of this companion's: diet, taste"
    assert conversation.verdicts(turn) == [
        ("refused", f"type 'identity' {none}"),
        ("applied", "its type was sent back once"),
        ("applied", ""),
    ]
    told = f"- Is vegan: type 'identity' {none}\n- Loves leeks: type '' {none}\n"
    assert told in scripted_provider.requests[1].history[-1][1]
    operations: Any = scripted_provider.requests[0].schema["properties"]["operations"]  # type: ignore[index]
    assert operations["items"]["properties"]["type"]["enum"] == ["diet", "taste"]


def test_an_operation_without_its_op_or_messages_is_sent_back_once_and_then_refused(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a cat", "Has a dog")
    missing: Any = {"op": "add", "type": "other", "content": "Likes tea"}
    scripted_provider.answer_with(
        answer(
            missing,
            add("Likes leeks", messages=[7]),
            {**missing, "content": "Likes rain", "messages": ["all"]},
            {**missing, "content": "Likes snow", "op": "create", "messages": [1]},
            add("Likes fog", messages=[]),
            update(1, "Has a cat, Mia", messages=[7]),
            update(2, "Has a dog, Bo"),
            update(2, "Has a dog, Rex", messages=[7]),
        ),
        answer(
            add("Likes tea", messages=[1]),
            add("Likes snow", messages=[1]),
            add("Likes leeks", messages=[8]),
            update(1, "Has a cat, Mia"),
            update(2, "Has a dog, Rex"),
            add("Likes nobody"),
        ),
    )

    turn = conversation.hear("I like tea, leeks, rain, snow and fog; the cat is Mia, the dog Bo.")

    assert sorted(conversation.contents) == ["Has a cat, Mia", "Has a dog, Bo", "Likes snow", "Likes tea"]
    assert conversation.verdicts(turn) == [
        ("applied", "its messages were sent back once"),
        ("refused", "rests on messages that were not shown"),
        ("refused", "messages is not a list of numbers"),
        ("applied", "its op was sent back once"),
        ("refused", "rests on no new message"),
        ("applied", "its messages were sent back once"),
        ("applied", ""),
        ("refused", "rests on messages that were not shown"),
    ]
    told = scripted_provider.requests[1].history[-1][1]
    assert "- Likes tea: messages is not a list of numbers\n- Likes leeks: rests on" in told
    assert told.endswith("Give these again, and no others. The new messages are [1] to [1].")


def test_after_a_second_question_that_fails_the_update_is_kept_beside_its_entry(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a sister, Ana, in Porto")
    scripted_provider.answer_with(
        answer(update(1, "Has a sister"), add("Likes tea")), ProviderUnavailable("away")
    )

    turn = conversation.hear("My sister. And tea.")

    assert turn.state == TurnState.APPLIED
    assert sorted(conversation.contents) == ["Has a sister", "Has a sister, Ana, in Porto", "Likes tea"]
    assert conversation.verdicts(turn)[0] == (
        "applied",
        "leaves out what the old text said, after it was sent back once: Ana, Porto; "
        "the update was not given again; kept beside it",
    )


def test_of_what_comes_back_only_the_operations_that_were_sent_back_count(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a sister, Ana", "Likes tea")
    scripted_provider.answer_with(
        answer(update(1, "Has a sister")),
        answer(update(1, "Has a sister, Ana, a nurse"), update(2, "Hates tea"), add("Likes rain")),
    )

    turn = conversation.hear("My sister is a nurse.")

    assert sorted(conversation.contents) == ["Has a sister, Ana, a nurse", "Likes tea"]
    assert len(operations_of(turn)) == 1


class TestPromptVersion:
    """`ingestion.prompt_version` at each level of the cascade."""

    @pytest.fixture(autouse=True)
    def versions(self, conversation: Conversation) -> None:
        companion = conversation.relationship.companion
        for version in (1, 2, 3):
            IngestionPrompt.objects.create(
                companion=companion, version=version, created_by_kind="operator", template=f"Keep {version}."
            )
        Companion.objects.filter(id=companion.id).update(prompt_version=1)

    def test_the_nearest_level_wins(
        self, conversation: Conversation, scripted_provider: ScriptedProvider
    ) -> None:
        scripted_provider.otherwise = NOTHING
        named = conversation.relationship
        conversation.hear("It rains.")
        Relationship.objects.filter(id=named.id).update(config={"ingestion": {"prompt_version": 2}})
        conversation.hear("It snows.")
        conversation.hear("It hails.", ingestion={"prompt_version": 3})
        conversation.hear("It thaws.", ingestion={"prompt_version": 0})

        systems = [request.system.split("\n")[-1] for request in scripted_provider.requests]
        assert systems[:3] == ["Keep 1.", "Keep 2.", "Keep 3."]
        assert systems[3].startswith("What to keep:")

    def test_one_that_is_not_there_fails_its_turn_and_says_so(
        self, conversation: Conversation, scripted_provider: ScriptedProvider
    ) -> None:
        turn = conversation.hear("It rains.", ingestion={"prompt_version": 9})

        assert (turn.state, turn.error_code) == (TurnState.FAILED, "invalid_template")
        assert "ingestion.prompt_version is 9" in turn.error


def test_a_conversation_of_the_past_leaves_the_relationship_heard_of_then(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = NOTHING

    for at in (MARCH, MARCH - 30 * DAY):
        conversation.hear("It rains.", at=at)

    conversation.relationship.refresh_from_db()
    assert conversation.relationship.last_turn_at == MARCH
