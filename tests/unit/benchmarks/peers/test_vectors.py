from math import isclose

from benchmarks.peers.vectors import COMMON, vector_of


def cosine(one: str, other: str) -> float:
    return sum(a * b for a, b in zip(vector_of(one), vector_of(other), strict=True))


def test_equal_texts_have_equal_vectors_of_length_one() -> None:
    assert vector_of("Lives in Lisbon") == vector_of("lives in lisbon")
    assert isclose(cosine("Lives in Lisbon", "Lives in Lisbon"), 1, rel_tol=0.05)


def test_texts_that_share_words_are_nearer_than_those_that_share_none() -> None:
    near = cosine("Has a cat called Tom", "What does the cat eat?")

    assert near > cosine("Has a cat called Tom", "Plays violin on Sundays")


def test_texts_that_share_nothing_are_not_quite_apart() -> None:
    assert 0 < cosine("garden", "piano") < 2 * COMMON


def test_a_vector_has_the_dimensions_that_are_asked_for() -> None:
    assert len(vector_of("tea", 384)) == 384
