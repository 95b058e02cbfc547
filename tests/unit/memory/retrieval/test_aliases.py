"""Where an entry says that two names are one, a search for either finds what was told under the other."""

import pytest

from memory.aliases import other_names
from memory.models import SearchedKind
from memory.retrieval.questions import read_participants
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


def test_only_entries_that_may_say_it_are_read(memory: Memory) -> None:
    """Of ten thousand, by an index of just those."""
    for saying in ("Colleague is Юлия (Yulia)", "Has a sister"):
        memory.remember(saying)
    here = memory.relationship
    known = read_participants(project_id=here.project_id, relationship_id=here.id, kind=SearchedKind.ENTRY)
    assert known.sayings == ("Colleague is Юлия (Yulia)",)
