import pytest

from benchmarks.peers.measures.shown import Tally, Verdict, judge, tally, times_shown

OLD, NEW = ("Lives in Lisbon", "I live in Lisbon."), ("Lives in Porto", "I moved to Porto.")


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        (["Lives in Porto"], Verdict(True, True, True)),
        (["Lives in Porto", "Lives in Lisbon"], Verdict(False, True, True)),
        (["Lives in Porto", "lives in  PORTO."], Verdict(True, True, False)),
        (["Lives in Porto", "I moved to Porto."], Verdict(True, True, False)),
        (["I live in Lisbon."], Verdict(False, False, True)),
        ([], Verdict(True, False, True)),
    ],
    ids=["right", "old beside it", "twice", "twice in two forms", "only the old, as a message", "nothing"],
)
def test_a_change_is_judged_by_what_is_shown(lines: list[str], verdict: Verdict) -> None:
    assert judge(lines, old=OLD, new=NEW) == verdict


def test_where_nothing_new_is_said_the_old_must_be_gone_and_that_is_all() -> None:
    assert judge(["Plays chess"], old=OLD).right
    assert not judge(["Lives in Lisbon"], old=OLD).right


def test_a_line_with_several_forms_of_a_fact_shows_it_once() -> None:
    assert times_shown(["- Lives in Lisbon (I live in Lisbon.)"], OLD) == 1


def test_facts_are_counted_as_lost_duplicated_and_misplaced() -> None:
    expected = {"ann": [("a boat",), ("a car",)], "bob": [("a dog",), ("a cat",)]}
    stored = {
        "ann": ["has a boat", "has a boat", "has a boat", "has a dog"],
        "bob": ["has a dog", "has a cat"],
    }

    assert tally(expected, stored) == Tally(lost=1, duplicated=2, misplaced=1)
