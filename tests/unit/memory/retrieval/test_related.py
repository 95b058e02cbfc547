"""Words looked up with those of a question: that they are found, how much they count, and what they leave alone."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.db import connection

from memory.models import SearchedKind
from memory.retrieval import related
from memory.retrieval.columns import SearchQuery, candidates_of, read_columns
from memory.retrieval.related import MOST, NEAR, related_to
from memory.retrieval.results import EntryFilters
from relationships.models import Relationship
from tests.unit.memory.retrieval.searched import NOON, Memory, contents

_DROPPED = "SELECT word FROM unnest(%s::text[]) word WHERE to_tsvector(%s::regconfig, word) = ''"

ASKED = {  # by what was asked: what is found, the best first
    "What did he buy?": ["He bought a lamp", "His purchase came"],
    "bought": ["He bought a lamp", "His purchase came"],
    "Any kids?": ["Two children", "One child"],  # of equal ones the later first
    "Which instruments?": ["An instrument", "A trumpet"],
    "trumpets": ["A trumpet"],  # who asks for one kind asks for no other
    "swimming": ["She swam"],
    "When is his birthday?": ["bday is in june"],
    "whens his bday": ["bday is in june"],
    "What is my salary?": ["He earns 2,400 a month"],
    "Have I got a dog?": ["A golden retriever"],
    "a lamp that was bought, to buy": ["He bought a lamp", "His purchase came"],
}


@pytest.fixture
def english(relationship: Relationship) -> Memory:
    return Memory(relationship, language="english")


def say(memory: Memory) -> None:
    """Far apart, so that none is found by what was said before it."""
    said = [
        "He bought a lamp",
        "His purchase came",
        "One child",
        "Two children",
        "An instrument",
        "A trumpet",
    ]
    said += ["bday is in june", "She swam", "He earns 2,400 a month", "A golden retriever"]
    for number, content in enumerate(said):
        memory.say(content, session=str(number))


@pytest.mark.parametrize("asked", ASKED)
def test_other_forms_count_as_the_word_and_what_means_nearly_the_same_comes_after_it(
    english: Memory, asked: str
) -> None:
    say(english)
    assert contents(english.messages(asked)) == ASKED[asked]


def test_a_language_without_such_words_is_asked_as_it_stands(relationship: Relationship) -> None:
    german = Memory(relationship, language="german")
    say(german)
    assert contents(german.messages("bought")) == ["He bought a lamp"]


def test_a_near_word_counts_a_fifth_and_does_not_make_the_word_common(english: Memory) -> None:
    english.remember("a guitar", "a guitar too", "an instrument")
    alone = english.entries("instrument").hits[0].score

    found = english.entries_for(["instrument", "lamp"])[0].hits

    assert [alone, found[0].score] == pytest.approx([1, 1])
    share = NEAR * 2.2 / (NEAR + 1.2)  # of BM25, in a text of the usual length
    assert [hit.score for hit in found[1:]] == pytest.approx([share, share], abs=0.05)


def test_where_texts_have_vectors_only_forms_are_added(english: Memory) -> None:
    english.remember("He bought a lamp", "His purchase came")
    columns = read_columns(
        SearchQuery(english.relationship.id, SearchedKind.ENTRY, ["buy"], "english", EntryFilters(), NOON)
    )
    assert sorted(candidates_of(columns, 0, named=[]).counts.count) == [NEAR, 1]
    compared = replace(columns, cosines=[np.array([0.5, np.nan])])
    assert candidates_of(compared, 0, named=[]).counts.count.tolist() == [1]


def test_what_is_looked_up_is_bounded_and_forms_go_first() -> None:
    asked = " ".join(f"word{number}" for number in range(MOST - 4)) + " activity bought"
    found = related_to([asked], "english")
    assert [one.forms.split() for one in found] == [["activity"], ["bought", "buy"]]
    assert sum(len(one.near.split()) for one in found) == 1
    assert related_to([asked + " and more and others"], "english") == []
    assert related_to(["bought"] * 50, "english") == []


def test_no_word_of_a_file_is_one_that_its_language_drops(db: None) -> None:
    for file in Path(related.__file__).parent.glob("*.toml"):
        told = tomllib.loads(file.read_text())
        words = " ".join((told["forms"], told["near"], told["kinds"])).replace("|", " ").split()
        with connection.cursor() as cursor:
            cursor.execute(_DROPPED, [words, f"pg_catalog.{file.stem}"])
            assert (file.stem, [row[0] for row in cursor.fetchall()]) == (file.stem, [])
