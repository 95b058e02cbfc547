import pytest

from memory.providers.offline.sentences import read_clauses
from memory.providers.offline.unplaced import acts_on_known, sentence_again, words_to_place

CASES = {
    "No, I meant Thursday, not Tuesday.": "No, Thursday, not Tuesday.",
    "I don't like jazz anymore.": "No, I do not like jazz anymore.",
    "I used to smoke.": "No, I used to smoke.",
    "I don't have a dog.": "No, I do not have a dog.",
    "My trip to Rome got cancelled.": "No, My trip to Rome got cancelled.",
}


@pytest.mark.parametrize(("said", "handed_on"), CASES.items(), ids=CASES)
def test_a_change_of_what_is_not_in_sight_is_handed_on_in_words_that_read_the_same(
    said: str, handed_on: str
) -> None:
    [clause] = read_clauses(said)
    assert acts_on_known(clause)
    assert words_to_place(clause) == handed_on

    [again] = read_clauses(sentence_again(handed_on))
    assert (again.text, again.ended, again.instead_of) == (clause.text, clause.ended, clause.instead_of)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Please forget that I like jazz.", "that I like jazz"),
        ("Forget everything about me", "everything about me"),
        ("Please don't remember my salary.", "my salary"),
        ("Forget!", "that"),
    ],
)
def test_a_wish_to_forget_is_handed_on_by_what_is_to_be_forgotten(said: str, what: str) -> None:
    [clause] = read_clauses(said)

    assert words_to_place(clause) == what
    assert next(iter(read_clauses(sentence_again(what)))).forgets


def test_what_stands_by_itself_acts_on_nothing() -> None:
    [clause] = read_clauses("I live in Porto.")

    assert not acts_on_known(clause)
