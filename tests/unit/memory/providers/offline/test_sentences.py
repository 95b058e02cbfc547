import pytest

from memory.providers.offline.sentences import MAX_CLAUSES, read_clauses


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
        ("It's Sofia.", ["it is Sofia"]),
        ("I love tea. I love tea.", ["I love tea"]),
    ],
)
def test_a_message_is_cut_into_statements(message: str, clauses: list[str]) -> None:
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
    ],
)
def test_what_states_nothing_is_left_out(message: str) -> None:
    assert texts(message) == []


def test_what_others_are_reported_to_say_ends_with_their_sentence() -> None:
    assert not any(
        text.startswith("I love pizza") for text in texts("My friend says I'm lazy and I love pizza.")
    )
    assert "I quit" in texts("My boss said no, so I quit.")


def test_a_request_to_forget_stays_whole() -> None:
    clause = read_clauses("Can you forget that I like jazz?")[0]
    assert (clause.text, clause.forgets) == ("Can you forget that I like jazz", True)


def test_a_pasted_book_is_read_in_part() -> None:
    assert len(read_clauses(" ".join(f"I love thing{n}." for n in range(3_000)))) == MAX_CLAUSES
