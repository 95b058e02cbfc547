"""A word of the question that nobody said finds those that were said and are one slip away."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from relationships.models import Relationship
from tests.unit.memory.retrieval.searched import Memory, contents

SAID = [
    "We have physics on Mondays.",
    "I play handball in the evening.",
    "The horse is called Flensburg.",
    "The house is green.",
]


@pytest.fixture
def memory(relationship: Relationship) -> Memory:
    memory = Memory(relationship, language="english")
    for number, content in enumerate(SAID):
        memory.say(content, session=str(number))
        memory.remember(content)
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
        ("pzsicss", None),
        ("xandball", None),
        ("hse", None),
    ],
)
def test_a_misspelt_word_finds_what_is_meant(memory: Memory, asked: str, found: str | None) -> None:
    wanted = [found] if found else []

    assert contents(memory.messages(asked)) == wanted
    assert contents(memory.entries(asked)) == wanted


def test_only_a_question_with_a_few_words_that_nobody_said_costs_statements(memory: Memory) -> None:
    def statements(asked: str) -> int:
        with CaptureQueriesContext(connection) as run:
            memory.messages(asked)
        return len(run)

    assert statements("the handball") == statements("green tea") == statements("pysics") - 2
    news = "Zanzibar Reykjavik Ljubljana Bucharest Helsinki Marrakesh Kathmandu Samarkand"
    assert statements(f"{news} pysics") == statements("green tea")
