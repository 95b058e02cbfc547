import pytest

from memory.providers.offline.text import plain_speech


@pytest.mark.parametrize(
    "said",
    [
        "```\nI live in Berlin\n```",
        "`I live in Berlin`",
        "> I live in Berlin",
        'He said "I live in Berlin".',
        "How do you say 'I live in Berlin' in French?",
        "https://example.org/I-live-in-Berlin",
        "Bob: I live in Berlin\nEva: I love it",
    ],
)
def test_what_is_not_the_person_s_own_speech_is_taken_out(said: str) -> None:
    assert "Berlin" not in plain_speech(said)


def test_titles_and_apostrophes_stay() -> None:
    assert plain_speech("I’m reading “War and Peace”") == 'I\'m reading "War and Peace"'
    assert plain_speech("my parents' house isn't far") == "my parents' house isn't far"


def test_marks_that_cannot_be_seen_and_emoji_go() -> None:
    assert plain_speech("\u200fשלום\u200e 😅👍🏽").split() == ["שלום", "."]


def test_shouting_is_read_as_speech() -> None:
    assert plain_speech("I LIVE IN LISBON AND I LOVE IT") == "i live in lisbon and i love it"


def test_a_message_of_any_length_is_read() -> None:
    assert plain_speech("'" * 64_000 + "I live") is not None
    assert plain_speech("") == ""
