import pytest

from memory.providers.offline.matching import Relation, compare
from memory.providers.offline.slots import folded, slot_of


@pytest.mark.parametrize(
    ("new", "old", "relation"),
    [
        ("Lives in Lisbon", "Lives in Porto", Relation.REPLACES),
        ("Lives in Lisbon", "Lives in Lisbon (moved from Porto)", Relation.SAME),
        ("Loves coffee", "Dislikes coffee", Relation.REPLACES),
        ("Loves coffee", "Likes coffee", Relation.SAME),
        ("Loves green tea", "Likes tea", Relation.NONE),
        ("Prefers tea over coffee", "Prefers coffee over tea", Relation.REPLACES),
        ("Dislikes tea", "Prefers tea over coffee", Relation.REPLACES),
        ("Dislikes coffee", "Prefers tea over coffee", Relation.NONE),
        ("Has a sister named Ana", "Has a sister", Relation.REPLACES),
        ("Has a sister", "Has a sister named Ana", Relation.SAME),
        ("Has a sister named Eva", "Has a sister named Ana", Relation.NONE),
        ("Has a kid named Leo", "Has two kids, Leo and Mia", Relation.SAME),
        ("Has three cats", "Has two cats", Relation.REPLACES),
        ("Is married", "Has a husband named Rui", Relation.SAME),
        ("Is single", "Has a boyfriend named Tom", Relation.REPLACES),
        ("Is not allergic to cats", "Is allergic to cats", Relation.REPLACES),
        ("Name is Samantha", "Name is Samantha, goes by Sam", Relation.SAME),
        ("Lives in Lisbon", "Loves Lisbon", Relation.NONE),
    ],
)
def test_a_new_statement_repeats_replaces_or_leaves_an_old_one(
    new: str, old: str, relation: Relation
) -> None:
    assert compare(slot_of(folded(new), type="other"), slot_of(folded(old), type="other")) is relation
