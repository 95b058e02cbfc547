from memory.providers.base import KnownKey
from tests.labelled.scratchpad import THURSDAY, entry, known
from tests.labelled.strategies import ask

KEYS = [
    KnownKey("city", "identity", "Lives in {value}", True),
    KnownKey("like", "preference", "Likes {value}"),
    KnownKey("pet", "relationship", "Pet: {value}"),
]
SHOWN = known(
    entry("Lives in Lisbon", "identity", key="city"),
    entry("Pet: dog named Max", "relationship", key="pet"),
    entry("Likes jazz", "preference", key="like"),
)


def record(said: str) -> tuple[list[tuple[str, str]], list[int]]:
    answer = ask("record", said, SHOWN, at=THURSDAY, keys=KEYS)
    recorded = [(memory["key"], memory["value"]) for memory in answer["memories"]]
    return recorded, [gone["entry"] for gone in answer["forget"]]


def test_a_new_value_of_a_single_valued_key_supersedes_by_itself() -> None:
    assert record("I live in Faro now.") == ([("city", "Faro")], [])


def test_a_corrected_value_of_another_key_takes_its_entry_away() -> None:
    assert record("My dog's name is Rex, not Max.") == ([("pet", "dog named Rex")], [2])


def test_what_is_known_or_has_no_key_is_not_recorded() -> None:
    assert record("I have a dog named Max. I like jazz. I'm 30 years old.") == ([], [])


def test_what_is_no_more_only_leaves() -> None:
    assert record("I don't live in Lisbon anymore.") == ([], [1])
    assert record("Please forget that I like jazz.") == ([], [3])


def test_a_record_says_whom_it_is_about_and_how_sure_it_is() -> None:
    said = "My sister Ana lives in Braga. She loves opera."

    [memory] = ask("record", said, at=THURSDAY, keys=KEYS[1:])["memories"]

    assert (memory["subject"], memory["value"]) == ("Ana", "opera")
    assert (memory["type"], memory["confidence"]) == ("preference", 0.85)


def test_an_entry_that_is_still_so_stays_beside_what_is_new() -> None:
    keys = [KnownKey("occupation", "identity"), KnownKey("employer", "identity")]
    shown = known(entry("Works as a nurse", "identity", key="occupation"))

    answer = ask("record", "I got a new job at Hospital da Luz!", shown, at=THURSDAY, keys=keys)

    assert [(memory["key"], memory["value"]) for memory in answer["memories"]] == [
        ("employer", "Hospital da Luz")
    ]
    assert answer["forget"] == []
