"""A word of a question finds the compounds that have it in them, in languages that write them as one word."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.retrieval.compounds import MOST_BYTES
from relationships.models import Relationship
from tests.unit.memory.retrieval.searched import Memory, contents

SAID = [
    "Ich hab eine Haselnussallergie.",
    "Nächsten Dienstag ist meine Notfallsanitäterprüfung.",
    "Ich bin auf der Unfallchirurgie.",
    "Die Reisekosten sind hoch.",
    "Zum Frühstück gibt es Tee.",
]


@pytest.fixture
def german(relationship: Relationship) -> Memory:
    memory = Memory(relationship, language="german")
    memory.tell(*SAID)
    return memory


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Welche Allergie habe ich?", [SAID[0]]),
        ("Vertrage ich Haselnüsse?", [SAID[0]]),
        ("Wann ist die Prüfung?", [SAID[1]]),
        ("Chirurgien", [SAID[2]]),
        ("Esse ich Reis?", []),
        ("Kosten", [SAID[3]]),
        ("Oma", []),
    ],
)
@pytest.mark.parametrize("kind", ["entries", "messages"])
def test_compounds_are_found_by_their_first_and_their_last_word(
    german: Memory, kind: str, asked: str, found: list[str]
) -> None:
    assert contents(getattr(german, kind)(asked)) == found


def test_a_compound_counts_as_the_word_itself(german: Memory) -> None:
    result = german.entries("Allergie", min_fit=0.9)

    assert contents(result) == [SAID[0]]


def test_in_a_language_without_them_no_word_is_found_within_another(relationship: Relationship) -> None:
    memory = Memory(relationship, language="english")
    memory.say("The showroom was full")

    assert contents(memory.messages("Which room?")) == []


@pytest.mark.parametrize("kind", ["entries", "messages"])
def test_of_very_long_texts_only_the_newest_are_looked_through(relationship: Relationship, kind: str) -> None:
    memory = Memory(relationship, language="german")
    told = memory.remember if kind == "entries" else memory.say
    told("Die Haselnussallergie von damals.", **_at(kind, 1))
    long = [" ".join(f"wort{n}{text}" for n in range(300)) for text in range(MOST_BYTES // 3000)]
    told(*long, **_at(kind, 2))
    told("Die Stauballergie von heute.", **_at(kind, 3))

    assert contents(getattr(memory, kind)("Allergie")) == ["Die Stauballergie von heute."]


def _at(kind: str, day: int) -> dict[str, Any]:
    moment = datetime(2026, 3, day, tzinfo=UTC)
    return {"effective_at": moment} if kind == "entries" else {"session": str(day)}
