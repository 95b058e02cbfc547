import pytest

from context.facts import RecentMessage
from context.question import LONGEST, question_of


def said(content: str, role: str = "user", session: str = "phone") -> RecentMessage:
    return RecentMessage(id=content, turn_id="", session=session, role=role, content=content, said_at=0.0)


RECENT = [said("Where did I park?"), said("On the third floor.", role="assistant")]


def asked(message: str | None, *recent: RecentMessage) -> str:
    return question_of(message, recent=recent or RECENT, session="phone").text


@pytest.mark.parametrize(
    "message", ["What did I say about Ana?", "Who is Ana?", "妹の名前は何ですか", "Где живёт Ана?"]
)
def test_a_message_that_says_something_is_asked_as_it_stands(message: str) -> None:
    assert asked(message) == message


@pytest.mark.parametrize(
    "message", ["yes", "And then?", "Und später?", "…?", "👍", "はい", "何歳？", "ومتى؟"]
)
def test_a_word_or_two_are_asked_with_what_the_person_said_before(message: str) -> None:
    question = question_of(message, recent=RECENT, session="phone")

    assert question.text == f"Where did I park?\n{message}"
    assert question.told == "the message, too short alone, with the one before it"


def test_a_question_that_says_little_is_asked_with_what_the_person_said_before() -> None:
    assert asked("And how much was it?") == "Where did I park?\nAnd how much was it?"


def test_what_was_said_before_is_kept_apart_from_a_question_by_she() -> None:
    question = question_of("And where does she live?", recent=[said("I met Ana")], session="phone")

    assert (question.text, question.before) == ("And where does she live?", "I met Ana")


def test_what_was_said_in_another_session_is_not_what_it_answers() -> None:
    assert asked("yes", said("Where did I park?", session="desk")) == "yes"


def test_a_message_that_was_handed_over_already_is_not_its_own_past() -> None:
    assert asked("yes", said("Shall we?"), said("yes")) == "Shall we?\nyes"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (None, "there is no message"),
        ("  \n", "there is no message"),
        ("👍", None),
        ("?!", "the message has no words"),
    ],
    ids=["none", "blank", "emoji", "signs"],
)
def test_where_there_is_nothing_to_ask_it_says_so(message: str | None, told: str | None) -> None:
    question = question_of(message, recent=[], session="phone")

    assert bool(question.text) == (told is None)
    assert told in (None, question.told)


def test_memory_that_was_put_into_the_message_is_not_asked_for() -> None:
    message = "<rapport_memory>\n- Likes tea\n</rapport_memory>\nWhat did I say about Ana?"

    assert asked(message) == "What did I say about Ana?"


def test_a_long_message_is_asked_by_its_beginning_and_its_end() -> None:
    question = question_of("begin " + "x " * 100_000 + "end", recent=[], session="phone")

    assert len(question.text) <= LONGEST + 1
    assert question.text.startswith("begin") and question.text.endswith("end")
    assert "first and last 1000 characters" in question.told
