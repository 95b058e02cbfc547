"""A word of the question that nobody said finds those that were said and are one slip away."""

from dataclasses import replace

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import SearchedKind
from memory.retrieval.columns import SearchQuery, candidates_of, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.related import NEAR
from memory.retrieval.results import EntryFilters
from relationships.models import Relationship
from tests.unit.memory.retrieval.searched import NOON, Memory, contents

SAID = [
    "We have physics on Mondays.",
    "I play handball in the evening.",
    "The horse is called Flensburg.",
    "The house is green.",
    "Chris and the parents understand the internet.",
]


@pytest.fixture
def memory(relationship: Relationship) -> Memory:
    memory = Memory(relationship, language="english")
    memory.tell(*SAID)
    return memory


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("pysics", SAID[0]),
        ("phyiscs", SAID[0]),
        ("physiccs", SAID[0]),
        ("hanball", SAID[1]),
        ("hamdball", SAID[1]),
        ("Flennsburg", SAID[2]),
        ("horse", SAID[2]),
        ("Physikarbeit", SAID[0]),
        ("Handballspiel", SAID[1]),
        ("Christmas", None),
        ("internship", None),
        ("parenthesis", None),
        ("Interviewpartner", None),
        ("pzsicss", None),
        ("xandball", None),
        ("hse", None),
    ],
)
def test_a_misspelt_word_finds_what_is_meant(memory: Memory, asked: str, found: str | None) -> None:
    wanted = [found] if found else []

    assert contents(memory.messages(asked)) == wanted
    assert contents(memory.entries(asked)) == wanted


def test_what_may_be_meant_counts_less_than_what_was_said(memory: Memory) -> None:
    guess, said = "I will contact Tom.", "The lawyer spoke with Tom."
    memory.remember(guess, said)

    [hit] = memory.entries("contract").hits
    assert hit.score == pytest.approx(NEAR)
    assert contents(memory.entries("contract lawyer")) == [said, guess]
    asked = SearchQuery(
        memory.relationship.id, SearchedKind.ENTRY, ["contract"], "english", EntryFilters(), NOON
    )
    columns = read_columns(asked)
    compared = replace(columns, cosines=[np.full(len(columns), 0.5)])
    assert candidates_of(compared, 0, named=[]).counts.count.tolist() == [NEAR]


def test_only_a_question_with_a_few_words_that_nobody_said_costs_statements(memory: Memory) -> None:
    def statements(asked: str) -> int:
        with CaptureQueriesContext(connection) as run:
            memory.messages(asked)
        return len(run)

    assert statements("the handball") == statements("green tea") == statements("pysics") - 2
    assert statements("Zanzibar pysics") == statements("pysics")
    news = "Zanzibar Reykjavik Ljubljana"
    assert statements("Zanzibar Reykjavik pysics") == statements(news) == statements("green tea")
    with CaptureQueriesContext(connection) as run:
        memory.entries_for([news, "pysics"])
    assert len(run) == statements("pysics")

    memory.retrieval = Retrieval(language="german")
    memory.say("Das ist ein deutscher Satz.", session="de")
    memory.retrieval = Retrieval(language="english")
    assert statements("physics") == statements("green house")
    assert statements("pysics") == statements("physics") + 2
