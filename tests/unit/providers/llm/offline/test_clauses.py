import pytest

from providers.llm.offline.clauses import (
    MAX_CLAUSE,
    MAX_CLAUSES,
    Clause,
    plain_speech,
    read_clauses,
    tidy_clause,
)
from providers.llm.offline.reader import Cast, about_whom
from providers.llm.offline.wording import clean_name, mentions


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


@pytest.mark.parametrize(
    ("part", "flag", "value"),
    [
        ("I no longer work there", "ended", True),
        ("I do not like tea anymore", "ended", True),
        ("I used to live in Rome", "formerly", True),
        ("Actually, I live in Rome", "corrects", True),
        ("I just moved to Rome", "recent", True),
        ("I live in Rome, not Milan", "instead_of", "Milan"),
    ],
)
def test_how_it_was_put_is_told_by_flags(part: str, flag: str, value: object) -> None:
    assert getattr(tidy_clause(part), flag) == value


def test_what_others_are_reported_to_say_ends_with_their_sentence() -> None:
    said = texts("My friend says I'm lazy and I love pizza.")
    assert not any(text.startswith("I love pizza") for text in said)
    assert "I quit" in texts("My boss said no, so I quit.")


def test_a_request_to_forget_stays_whole() -> None:
    clause = read_clauses("Can you forget that I like jazz?")[0]
    assert (clause.text, clause.forgets) == ("Can you forget that I like jazz", True)


def test_a_pasted_book_is_read_in_part() -> None:
    assert len(read_clauses(" ".join(f"I love thing{n}." for n in range(3_000)))) == MAX_CLAUSES


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I called my sister Ana yesterday", [("sister", "Ana")]),
        ("my older brother Anne-Marie's friend", [("older brother", "Anne-Marie")]),
        ("my brother דניאל is here", [("brother", "דניאל")]),
        ("our dog Bruno and my aunt Inês", [("dog", "Bruno"), ("aunt", "Inês")]),
        ("my sister is here", []),
        ("my boss Friday", []),
    ],
)
def test_whoever_is_named_beside_a_relation_is_found(text: str, found: list[tuple[str, str]]) -> None:
    assert mentions(text) == found


@pytest.mark.parametrize(
    ("text", "subject", "turned"),
    [
        ("my sister Ana lives in Faro", "Ana", "I live in Faro"),
        ("Ana is a teacher", "Ana", "I am a teacher"),
        ("she has a boat", "Ana", "I have a boat"),
        ("my son loves dinosaurs", "their son", "I love dinosaurs"),
        ("my parents are visiting", "their parents", "I am visiting"),
        ("I live in Faro", "user", "I live in Faro"),
        ("he has a boat", "user", "he has a boat"),
    ],
)
def test_a_clause_is_seen_from_the_one_it_is_about(text: str, subject: str, turned: str) -> None:
    cast = Cast()
    cast.meet("Ana", "sister")
    clause = about_whom(Clause(text), cast)
    assert (clause.subject, clause.text) == (subject, turned)


@pytest.mark.parametrize(
    ("said", "name"),
    [("Ana and", "Ana"), ("Maria da Silva", "Maria da Silva"), ("Friday", ""), ("tired", "")],
)
def test_a_name_ends_where_other_words_begin(said: str, name: str) -> None:
    assert clean_name(said) == name
