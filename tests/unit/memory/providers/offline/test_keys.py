import pytest

from memory.ingestion.strategies.shipped_keys import SHIPPED_KEYS
from memory.providers.base import KnownKey
from memory.providers.offline.keys import as_statement, keyed_values
from memory.providers.offline.notebook import Line

KEYS = [KnownKey(key.name, key.type, key.says, key.single_valued) for key in SHIPPED_KEYS]
STATEMENTS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "Lives in Faro (moved from Lisbon in May 2026)": ("identity", [("city", "Faro")]),
    "Name is Maya": ("identity", [("name", "Maya")]),
    "Is 31 years old": ("identity", [("age", "31")]),
    "Was born in Nairobi": ("identity", [("hometown", "Nairobi")]),
    "Works as a nurse at St. Mary's": ("identity", [("occupation", "a nurse"), ("employer", "St. Mary's")]),
    "Works at Feedzai": ("identity", [("employer", "Feedzai")]),
    "Quit their job in May 2026": ("event", [("event", "Quit their job in May 2026")]),
    "Is retired": ("identity", []),
    "Has a sister named Ana": ("relationship", [("sibling", "sister named Ana")]),
    "Has two kids, Leo and Mia": ("relationship", [("child", "two kids, Leo and Mia")]),
    "Is married to Rui": ("relationship", [("partner", "married to Rui")]),
    "Broke up with Tom": ("relationship", [("event", "Broke up with Tom")]),
    "Loves jazz": ("preference", [("like", "jazz")]),
    "No longer likes coffee": ("preference", [("dislike", "coffee")]),
    "Favourite colour is green": ("preference", [("like", "green, their favourite colour")]),
    "Asks the companion: answer in short sentences": ("preference", []),
    "Is vegetarian": ("preference", [("diet", "vegetarian")]),
    "Is allergic to peanuts": ("other", [("allergy", "peanuts")]),
    "Speaks Portuguese": ("identity", [("language", "Portuguese")]),
    "Hopes to buy a boat in 2027": ("goal", [("goal", "buy a boat in 2027")]),
    "Is learning Japanese": ("goal", [("goal", "keep learning Japanese")]),
    "Is moving to Faro": ("goal", [("goal", "move to Faro")]),
    "Ran a 10k (goal reached)": ("goal", [("event", "Ran a 10k")]),
    "No longer wants to move to Canada": ("goal", []),
    "Has a job interview on 27 November 2026": (
        "event",
        [("event", "Has a job interview on 27 November 2026")],
    ),
    "Has an old piano": ("other", [("possession", "an old piano")]),
    "Home is in Graça": ("identity", []),
    "Sings in a choir": ("other", []),
}


@pytest.mark.parametrize(("content", "expected"), STATEMENTS.items(), ids=STATEMENTS)
def test_a_statement_is_the_value_of_a_key(content: str, expected: tuple[str, list[tuple[str, str]]]) -> None:
    type_, values = expected

    keyed = keyed_values(Line(None, type_, "user", content, None), KEYS)

    assert [(one.key.name, one.value) for one in keyed] == values


def test_a_condition_is_health() -> None:
    line = Line(None, "other", "user", "Has asthma", None, importance=0.65)

    assert [(one.key.name, one.value) for one in keyed_values(line, KEYS)] == [("health", "asthma")]


def test_somebody_elses_value_is_without_their_name() -> None:
    line = Line(None, "preference", "Ana", "Ana likes opera", None)

    assert [one.value for one in keyed_values(line, KEYS)] == ["opera"]


def test_a_companions_own_key_is_found_by_its_wording() -> None:
    own = KnownKey("instrument", "other", "Plays the {value}")

    [keyed] = keyed_values(Line(None, "other", "user", "Plays the cello", None), [own])

    assert (keyed.key, keyed.value) == (own, "cello")


@pytest.mark.parametrize(
    ("content", "key", "statement"),
    [
        ("Pet: dog named Rex", "pet", "Has a dog named Rex"),
        ("Partner: married to Rui", "partner", "Is married to Rui"),
        ("Partner: boyfriend named Rui", "partner", "Has a boyfriend named Rui"),
        ("Diet: vegan", "diet", "Is vegan"),
        ("Birthday: 2 May", "birthday", "Birthday is 2 May"),
        ("Time zone: Europe/Lisbon", "timezone", "Time zone is Europe/Lisbon"),
        ("Allergic to nuts", "allergy", "Is allergic to nuts"),
        ("Lives in Faro", "city", "Lives in Faro"),
        ("Note to self: buy milk", "", "Note to self: buy milk"),
    ],
)
def test_an_entry_of_a_key_reads_as_a_statement(content: str, key: str, statement: str) -> None:
    assert as_statement(content, key) == statement
