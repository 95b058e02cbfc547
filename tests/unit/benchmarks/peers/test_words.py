from itertools import permutations

from benchmarks.peers.words import Words


def test_the_same_seed_gives_the_same_words() -> None:
    first, second, other = Words("a"), Words("a"), Words("b")

    given = [first.new() for _ in range(20)]

    assert given == [second.new() for _ in range(20)]
    assert given != [other.new() for _ in range(20)]


def test_no_word_is_given_twice_or_stands_in_another() -> None:
    words = Words("many")

    given = [words.new().casefold() for _ in range(400)]

    assert len(set(given)) == len(given)
    assert [pair for pair in permutations(given, 2) if pair[0] in pair[1]] == []


def test_a_stem_begins_every_word() -> None:
    words = Words("stemmed", stem="qx")

    assert all(words.new().startswith("Qx") for _ in range(20))
