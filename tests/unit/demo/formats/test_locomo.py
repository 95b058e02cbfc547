from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from demo.conversation import Conversation, Source
from demo.formats import locomo
from web.errors import InvalidInput

NOW = datetime(2026, 3, 2, tzinfo=UTC)
BEGINS = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def said(speaker: str, text: str, **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": "D1:1", "text": text, **more}


def file_of(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    conversation = {
        "speaker_a": "Caroline",
        "speaker_b": "Melanie",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": list(messages) or [said("Caroline", "Hi!")],
        **more,
    }
    return {"sample_id": "conv-26", "conversation": conversation, "qa": []}


def parse(data: dict[str, Any], **options: Any) -> Conversation:
    return locomo.parse(data, Source("file", NOW, **options))


def roles(conversation: Conversation) -> list[str]:
    return ["".join(message.role[0] for message in turn.messages) for turn in conversation.turns]


def test_a_turn_is_what_the_user_says_and_the_reply() -> None:
    told = parse(file_of(said("Caroline", "Hi!"), said("Melanie", "Hello."), said("Caroline", "Bye.")))

    assert [[message.content for message in turn.messages] for turn in told.turns] == [
        ["Hi!", "Hello."],
        ["Bye."],
    ]
    assert roles(told) == ["ua", "u"]
    assert [message.speaker for message in told.turns[0].messages] == ["Caroline", "Melanie"]


def test_an_opening_by_the_companion_belongs_to_the_first_turn() -> None:
    told = parse(
        file_of(
            said("Melanie", "How are you?"),
            said("Caroline", "Fine."),
            said("Melanie", "Good."),
            said("Caroline", "Yes."),
        )
    )
    assert roles(told) == ["aua", "u"]


def test_a_turn_takes_no_more_messages_than_the_service_does(settings: Any) -> None:
    settings.MAX_MESSAGES_PER_TURN = 2
    assert roles(parse(file_of(*[said("Caroline", f"Line {line}") for line in range(5)]))) == [
        "uu",
        "uu",
        "u",
    ]


def test_every_message_has_a_time_of_its_own_in_the_order_of_the_session() -> None:
    told = parse(file_of(said("Caroline", "Hi!"), said("Melanie", "Hello."), said("Caroline", "Bye.")))

    times = [message.occurred_at for turn in told.turns for message in turn.messages]
    assert times == [BEGINS, BEGINS + timedelta(seconds=30), BEGINS + timedelta(seconds=60)]
    assert [turn.occurred_at for turn in told.turns] == [times[0], times[2]]


def test_dates_are_read_where_they_were_written() -> None:
    told = parse(file_of(), zone=ZoneInfo("America/New_York"))
    assert told.turns[0].occurred_at == datetime(2023, 5, 8, 17, 56, tzinfo=UTC)
    assert told.user.timezone == "America/New_York"


def test_sessions_are_named_and_come_in_the_order_of_their_numbers() -> None:
    told = parse(
        file_of(
            session_10=[said("Caroline", "Ten")],
            session_10_date_time="9:00 am on 3 July, 2023",
            session_2=[said("Caroline", "Two")],
            session_2_date_time="12:10 am on 9 May, 2023",
            session_3=[],
            session_4_date_time="9:00 am on 4 July, 2023",
            session_02=[said("Caroline", "Another two")],
            session_02_date_time="1:10 am on 9 May, 2023",
        )
    )
    assert [turn.session for turn in told.turns] == [
        "conv-26-session-1",
        "conv-26-session-02",
        "conv-26-session-2",
        "conv-26-session-10",
    ]
    assert told.turns[2].occurred_at == datetime(2023, 5, 9, 0, 10, tzinfo=UTC)


def test_a_pictures_caption_is_part_of_the_message() -> None:
    told = parse(
        file_of(
            said("Caroline", "Look!", blip_caption="a photo of a dog"),
            said("Melanie", "", blip_caption="a cat"),
        )
    )
    assert [message.content for message in told.turns[0].messages] == [
        "Look! [shares a picture: a photo of a dog]",
        "[shares a picture: a cat]",
    ]


@pytest.mark.parametrize(
    ("chosen", "user", "companion"),
    [
        (None, "Caroline", "melanie"),
        ("speaker_a", "Caroline", "melanie"),
        ("speaker_b", "Melanie", "caroline"),
        ("melanie", "Melanie", "caroline"),
    ],
)
def test_one_speaker_is_the_user_and_the_other_the_companion(
    chosen: str | None, user: str, companion: str
) -> None:
    told = parse(file_of(), as_speaker=chosen)
    assert (told.user.name, told.companion.slug) == (user, companion)
    assert told.user.external_id == f"conv-26-{user}"


@pytest.mark.parametrize(
    ("broken", "field", "detail"),
    [
        ({"conversation": []}, "conversation", "must be an object"),
        ({"conversation": {"speaker_a": "Ann"}}, "conversation.speaker_b", "is required"),
        (file_of(speaker_b="Caroline"), "conversation.speaker_b", "the same as speaker_a"),
        (file_of(speaker_a=7), "conversation.speaker_a", "must be a string"),
        (file_of(session_1="Hi"), "conversation.session_1", "must be a list"),
        (file_of(session_1=["Hi"]), "conversation.session_1.0", "must be an object"),
        (
            file_of(said("Bo", "Hi")),
            "conversation.session_1.0.speaker",
            "'Bo' is neither Caroline nor Melanie",
        ),
        (file_of({"speaker": "Caroline"}), "conversation.session_1.0.text", "is required"),
        (file_of(said("Caroline", " ")), "conversation.session_1.0.text", "is empty"),
        (file_of(said("Caroline", "a\x00b")), "conversation.session_1.0.text", "NUL"),
        (file_of(said("Caroline", "a\ud800b")), "conversation.session_1.0.text", "surrogate"),
        (
            file_of(said("Caroline", "é" * 40_000)),
            "conversation.session_1.0.text",
            "is longer than 65536 bytes",
        ),
        (
            file_of(session_1_date_time="yesterday"),
            "conversation.session_1_date_time",
            "'1:56 pm on 8 May, 2023'",
        ),
        (
            file_of(session_1_date_time="1:00 am on 1 January, 0001"),
            "conversation.session_1_date_time",
            "no date",
        ),
        (file_of(session_1_date_time=None), "conversation.session_1_date_time", "is required"),
        (file_of(session_1_date_time="1:56 pm on 8 May, 2026"), "conversation.session_1_date_time", "future"),
        (file_of(session_1=[]), "conversation", "no session in which anything is said"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_what_can_not_be_read_is_named(broken: dict[str, Any], field: str, detail: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse(broken)
    assert [problem.field for problem in refused.value.problems] == [field]
    assert detail in refused.value.problems[0].detail


def test_somebody_who_does_not_speak_can_not_be_the_user() -> None:
    with pytest.raises(InvalidInput, match="'Bob' does not speak here; write Caroline or Melanie"):
        parse(file_of(), as_speaker="Bob")
