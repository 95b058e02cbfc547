import pytest

from providers.llm.offline.clauses import (
    MAX_CLAUSE,
    MAX_CLAUSES,
    plain_speech,
    read_clauses,
)


def texts(message: str) -> list[str]:
    return [clause.text for clause in read_clauses(message)]


@pytest.mark.parametrize(
    ("message", "clauses"),
    [
        ("I live in Lisbon, but I'm from Faro.", ["I live in Lisbon", "I am from Faro"]),
        ("I left Porto and moved to Lisbon.", ["I left Porto", "I moved to Lisbon"]),
        ("I moved to Lisbon, did I tell you?", ["I moved to Lisbon"]),
        ("I work at St. Mary's. I earn 3.5k.", ["I work at St. Mary's", "I earn 3.5k"]),
        ("My wife and I love tea.", ["My wife and I love tea"]),
        ("Just moved to Faro!", ["I moved to Faro"]),
        ("My mum's having surgery.", ["My mum is having surgery"]),
        ("I love tea. I love tea.", ["I love tea"]),
        ("Well I live in Lisbon now.", ["I live in Lisbon"]),
        ("I have lived in Faro since May.", ["I live in Faro since May"]),
        ("I've always loved jazz.", ["I love jazz"]),
        ("Next month I'm giving a talk.", ["I am giving a talk Next month"]),
        ("Saturday is our anniversary.", ["our anniversary is on Saturday"]),
    ],
)
def test_a_message_is_cut_into_plain_statements(message: str, clauses: list[str]) -> None:
    assert texts(message) == clauses


@pytest.mark.parametrize(
    "message",
    [
        "Do you think I should move to Lisbon?",
        "If I lived in Paris, I would eat croissants.",
        "I wish I had a dog.",
        "Imagine I work at NASA.",
        "Translate this: I live in Berlin. I love it.",
        "In my novel I am a spy.",
        "When I was a kid, I lived in Rome.",
        "I live on Mars, just kidding!",
        "Let's say I'm 45 and rich.",
        "Maybe I live in Rome.",
        "I almost quit.",
        "I" + " live" * MAX_CLAUSE,
    ],
)
def test_what_states_nothing_is_left_out(message: str) -> None:
    assert texts(message) == []


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


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("I’m reading “War and Peace”", 'I\'m reading "War and Peace"'),
        ("my parents' house isn't far", "my parents' house isn't far"),
        ("\u200fשלום\u200e", "שלום"),
        ("I LIVE IN LISBON AND I LOVE IT", "i live in lisbon and i love it"),
        ("", ""),
    ],
)
def test_titles_apostrophes_scripts_and_shouting_are_read_as_speech(said: str, plain: str) -> None:
    assert plain_speech(said) == plain


def test_what_others_are_reported_to_say_ends_with_their_sentence() -> None:
    said = texts("My friend says I'm lazy and I love pizza.")
    assert not any(text.startswith("I love pizza") for text in said)
    assert "I quit" in texts("My boss said no, so I quit.")


def test_a_pasted_book_is_read_in_part() -> None:
    assert len(read_clauses(" ".join(f"I love thing{n}." for n in range(3_000)))) == MAX_CLAUSES
