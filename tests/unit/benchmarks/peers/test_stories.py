from itertools import permutations

import pytest

from benchmarks.peers.facts import Change, moves_for
from benchmarks.peers.stories import Story, Told, book_of, life_stories, plain_facts
from benchmarks.peers.topics import TOPICS
from benchmarks.peers.words import Words

STORIES = life_stories(200, seed="test")


def test_the_same_seed_tells_the_same_stories() -> None:
    assert life_stories(3, seed="test") == STORIES[:3]
    assert life_stories(3, seed="other")[0].told != STORIES[0].told


def test_the_stories_hold_every_kind_of_change() -> None:
    kinds = {told.kind for story in STORIES for told in story.changes}

    assert kinds == {event.kind for topic in TOPICS for event in topic.events} | {"back again", "said again"}


def test_a_message_that_tells_something_stands_in_one_story_only() -> None:
    messages = [told.message for story in STORIES for told in story.told if told.changes]

    assert len(set(messages)) == len(messages)


def test_no_statement_of_a_story_stands_in_another_one() -> None:
    for story in STORIES[:40]:
        statements = {statement for told in story.told for statement in told.says}
        assert [pair for pair in permutations(statements, 2) if pair[0] in pair[1]] == []


def test_a_statement_that_ends_was_true_until_then() -> None:
    for story in STORIES:
        true: set[str] = set()
        for told in story.told:
            assert not told.ends or told.ends in true, told
            true = (true - {told.ends}) | set(told.says)
        assert true == story.true_at_the_end()


def test_a_model_that_is_shown_everything_comes_to_what_is_true_at_the_end() -> None:
    story, book = STORIES[0], book_of(STORIES[0].told)
    known: list[str] = []

    for told in story.told:
        for move in moves_for(book, [told.message], known):
            if move.at is not None:
                known[move.at] = move.text
            else:
                known.append(move.text)

    assert sorted(filter(None, known)) == sorted(story.true_at_the_end())


@pytest.mark.parametrize(
    ("told", "changes"),
    [
        (Told("opening", "I sing.", ("Sings",)), [Change(new="Sings")]),
        (
            Told("move", "Now in B.", ("Lives in B",), "Lives in A"),
            [Change(new="Lives in B", old="Lives in A")],
        ),
        (Told("forget that", "Forget A.", (), "Lives in A"), [Change(old="Lives in A")]),
        (Told("small talk", "Hm."), []),
    ],
    ids=["opening", "move", "forget", "small talk"],
)
def test_what_is_told_becomes_changes_in_the_book(told: Told, changes: list[Change]) -> None:
    assert told.changes == changes
    assert book_of([told]) == ({told.message: changes} if changes else {})


def test_a_statement_may_be_found_by_each_message_that_said_it() -> None:
    first, again = Told("opening", "I sing.", ("Sings",)), Told("said again", "Yes, I sing.", ("Sings",))

    assert Story("x", (first,), (again,)).forms_of("Sings") == ("Sings", "I sing.", "Yes, I sing.")


def test_plain_facts_are_one_a_message_and_all_different() -> None:
    facts = plain_facts(30, Words("facts"))

    assert len({told.says for told in facts}) == len({told.message for told in facts}) == 30
    assert all(len(told.says) == 1 and not told.ends for told in facts)
