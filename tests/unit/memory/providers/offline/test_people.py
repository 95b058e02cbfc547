import pytest

from memory.providers.offline.clauses import Clause
from memory.providers.offline.people import (
    Cast,
    about_whom,
    clean_name,
    is_name,
    is_several,
    mentions,
    noun,
    singular,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I called my sister Ana yesterday", [("sister", "Ana")]),
        ("my older brother Anne-Marie's friend", [("older brother", "Anne-Marie")]),
        ("my brother דניאל is here", [("brother", "דניאל")]),
        ("our dog Bruno and my aunt Rosa", [("dog", "Bruno"), ("aunt", "Rosa")]),
        ("Oscar, my guinea pig", [("guinea pig", "Oscar")]),
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


def test_two_together_are_we() -> None:
    clause = about_whom(Clause("Ana and I went to Rome"), Cast())
    assert (clause.text, clause.together) == ("we went to Rome", "Ana")


def test_pronouns_do_not_reach_into_the_next_message() -> None:
    cast = Cast()
    cast.meet("Ana", "sister")
    cast.next_message()
    assert about_whom(Clause("she has a boat"), cast).subject == "user"


@pytest.mark.parametrize(
    ("said", "name"),
    [("Ana and", "Ana"), ("Maria da Silva", "Maria da Silva"), ("Friday", ""), ("tired", "")],
)
def test_a_name_ends_where_other_words_begin(said: str, name: str) -> None:
    assert clean_name(said) == name


def test_a_writer_without_capitals_has_names_too() -> None:
    assert clean_name("maya", lowercase=True) == "Maya"
    assert not is_name("maya")


def test_relations_have_a_noun_and_a_number() -> None:
    assert noun("older sister") == "sister"
    assert singular("two older sisters") == "sister"
    assert is_several("parents")
    assert not is_several("sister")
