"""Where an entry says that two names are one, a search for either finds what was told under the other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from memory.aliases import LONGEST_SAYING, other_names, sayings_among
from memory.models import SearchedKind
from memory.retrieval.questions import read_participants
from memory.retrieval.statements import PARTICIPANTS
from tests.growth import MOST, growth
from tests.unit.memory.retrieval.searched import Memory, contents

SAYINGS = [
    "Colleague is Юлия (Yulia)",
    "Robert, also known as Bob",
    "Lives in Berlin (Germany)",
    "Has a cat (Mia)",
]


@pytest.mark.parametrize(
    ("asked", "also"),
    [
        ("Where does Юлия live?", ["Yulia"]),
        ("yulia's cat", ["Юлия"]),
        ("What about BOB?", ["Robert"]),
        ("Robert, or Bob", []),
        ("Germany", []),
        ("Yuliana", []),
        ("", []),
    ],
)
def test_only_what_is_said_of_a_name_is_added(asked: str, also: list[str]) -> None:
    assert other_names(asked, SAYINGS) == also


@pytest.mark.parametrize("kind", ["entries", "messages"])
@pytest.mark.parametrize(
    ("saying", "told", "asked"),
    [
        ("Colleague is Юлия (Yulia)", "Yulia plays the cello", "Юлия"),
        ("Colleague is Юлия (Yulia)", "Юлия играет на виолончели", "yulia"),
        ("Brother Андрей (Andrej)", "Андрей likes chess", "Andrej"),
        ("His boss Robert, also known as Bob", "Bob plays the cello", "robert"),
        ("Teacher is 李小龙 (Bruce)", "Bruce plays the cello", "李小龙"),
    ],
)
def test_what_was_told_under_the_other_name_is_found(
    memory: Memory, kind: str, saying: str, told: str, asked: str
) -> None:
    memory.remember(saying)
    for text in (told, "Somebody else plays the piano"):
        memory.remember(text) if kind == "entries" else memory.say(text)

    assert told in contents(getattr(memory, kind)(asked))


def test_a_deleted_entry_says_nothing_of_names(memory: Memory) -> None:
    memory.remember("Colleague is Юлия (Yulia)", state="deleted")
    memory.remember("Yulia plays the cello")
    assert contents(memory.entries("Юлия")) == []


@pytest.mark.parametrize(
    ("text", "read"),
    [
        *((saying, True) for saying in SAYINGS[:2]),
        ("Boss (aka Bob)", True),
        ("Robert goes by Bob", True),
        ("Moved to Porto (from Évora)", False),
        ("Has a friend called Olga in Osaka", False),
        ("Has a sister", False),
    ],
)
def test_only_entries_that_may_say_it_are_read(memory: Memory, text: str, read: bool) -> None:
    """By the database and in a context alike."""
    memory.remember(text)
    here = memory.relationship
    known = read_participants(project_id=here.project_id, relationship_id=here.id, kind=SearchedKind.ENTRY)
    assert known.sayings == ((text,) if read else ())
    assert sayings_among(["Likes tea", text]) == ((text,) if read else ())


def test_they_are_read_by_an_index_of_just_those_and_no_further_than_a_search_can_pay_for(
    memory: Memory,
) -> None:
    memory.remember("Юлия (Yulia)" + " plays the cello" * 100)
    here = memory.relationship
    known = read_participants(project_id=here.project_id, relationship_id=here.id, kind=SearchedKind.ENTRY)
    assert [len(said) for said in known.sayings] == [LONGEST_SAYING]
    values: dict[str, Any] = {
        "kind": "entry",
        "relationship": here.id,
        "project": here.project_id,
        "newest": 1,
    }
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {PARTICIPANTS}", values)
        assert "entry_aliases" in "".join(row[0] for row in cursor.fetchall())


@pytest.mark.parametrize("text", [lambda size: "(" * size + "é", lambda size: "蓮" * size + "\n("])
def test_brackets_without_an_end_are_soon_told_from_aliases(text: Callable[[int], str]) -> None:
    assert growth(lambda said: sayings_among([said]), text, size=2000) < MOST
