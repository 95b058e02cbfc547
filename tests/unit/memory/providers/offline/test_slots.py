import pytest

from memory.providers.offline.slots import folded, slot_of


@pytest.mark.parametrize(
    ("content", "kind", "value"),
    [
        ("Lives in Lisbon (moved from Porto in November 2026)", "city", "lisbon"),
        ("Maya currently lives in Lisbon", "city", "lisbon"),
        ("No longer lives in Berlin", "city", "not berlin"),
        ("Name is Maya", "name", "maya"),
        ("Is 34 years old (as of November 2026)", "age", "34"),
        ("User enjoys hiking", "attitude", "like"),
        ("Cannot stand packing", "attitude", "dislike"),
        ("Prefers tea over coffee", "prefer", "tea"),
        ("Favourite colour is green", "favourite", "green"),
        ("Is vegetarian", "diet", "vegetarian"),
        ("Has a sister named Ana", "person", "ana"),
        ("Sister's name is Ana", "person", "ana"),
        ("Has two kids, Leo and Mia", "people", "two , leo and mia"),
        ("Has a husband named Rui", "partner", "rui"),
        ("Is a nurse", "work", "is a nurse"),
        ("Is moving to Lisbon in December 2026", "move", "is moving to lisbon in december 2026"),
    ],
)
def test_a_statement_is_read_for_what_it_is_about(content: str, kind: str, value: str) -> None:
    slot = slot_of(folded(content), type="other", called="maya")
    assert (slot.kind, slot.value) == (kind, value)


def test_what_is_of_no_known_kind_is_about_its_words() -> None:
    slot = slot_of(folded("Went to Rome on 3 May 2026"), type="event")
    assert (slot.kind, slot.about) == ("event", frozenset({"go", "rom"}))


def test_a_negation_is_known() -> None:
    assert slot_of("is no longer vegetarian", type="other").negated
    assert not slot_of("is vegetarian", type="other").negated


def test_texts_are_compared_as_the_list_compares_them() -> None:
    assert folded("  Loves   TEA. ") == folded("loves tea")
    assert folded("Loves jazz") != folded("Loves chess")
