from benchmarks.peers.measures.asking import KNOWN, PEOPLE, book_of, fetches, hand_overs, known


def test_everybody_has_as_many_memories_and_none_twice() -> None:
    memories = known("told")

    assert len(memories) == PEOPLE
    assert all(len(set(texts)) == KNOWN for texts in memories.values())


def test_each_turn_says_something_of_its_own_that_is_in_the_book() -> None:
    calls = hand_overs("told", 3 * PEOPLE, start=7)
    book = book_of(calls)

    assert len(book) == len(calls)
    facts = {change.new for changes in book.values() for change in changes}
    assert len(facts) == len(calls)


def test_only_those_who_are_known_are_asked_about() -> None:
    assert {call.user for call in fetches("asked", 100, start=3)} == set(known("asked"))


def test_no_question_is_asked_twice() -> None:
    assert len({call.question for call in fetches("asked", 100, start=3)}) == 100
