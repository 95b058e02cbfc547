from uuid import UUID

from memory.retrieval.results import Hit, reason_of

ID = UUID(int=1)


def test_a_reason_names_the_parts_the_largest_first_and_leaves_out_what_is_nothing() -> None:
    hit = Hit(ID, 0.83, {"text": 0.25, "named": 0.4, "length": -0.05, "date": 0.0})
    assert reason_of(hit, "best") == "best 0.83: named 0.4, text 0.25, length -0.05"


def test_a_hit_without_parts_has_its_score() -> None:
    assert reason_of(Hit(ID, 0.5, {}), "cosine") == "cosine 0.5"


def test_reciprocal_ranks_are_small_and_still_told() -> None:
    assert reason_of(Hit(ID, 0.0325, {"text": 1 / 61, "vector": 1 / 62}), "hybrid") == (
        "hybrid 0.0325: text 0.0164, vector 0.0161"
    )
