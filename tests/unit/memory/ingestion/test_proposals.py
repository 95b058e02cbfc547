from memory.ingestion.ingestion_input import ShownEntry
from memory.ingestion.operations import Operation
from memory.ingestion.proposals import combine
from memory.ingestion.strategies.base import Proposal
from tests.unit.memory.ingestion.readings import ingestion_input, shown

TEA, RAIN, SNOW = shown("Likes tea"), shown("Likes rain"), shown("Likes snow")


def proposal(*items: Operation, shown: tuple[ShownEntry, ...]) -> Proposal:
    return Proposal(shown, list(items))


def update(entry: int, content: str = "Likes fog") -> Operation:
    return Operation("update", (1,), {"entry": entry}, entry=entry, content=content)


def test_entries_that_both_saw_have_one_number() -> None:
    proposed = combine(
        ingestion_input("Hi."),
        [
            ("operations", proposal(update(1), shown=(TEA, RAIN))),
            ("two_call", proposal(update(2), update(1), shown=(SNOW, RAIN))),
        ],
    )

    assert proposed.given.entries == (TEA, RAIN, SNOW)
    assert [item.entry for item in proposed.items] == [1, 2, 3]
    assert [item.raw["entry"] for item in proposed.items] == [1, 2, 1]  # as each model wrote it


def test_an_entry_touched_by_both_is_changed_once_and_the_second_says_why_not() -> None:
    proposed = combine(
        ingestion_input("Hi."),
        [
            ("operations", proposal(update(1), shown=(TEA,))),
            ("two_call", proposal(update(2), shown=(RAIN, TEA))),
        ],
    )

    first, second = proposed.items
    assert (first.op, second.op) == ("update", "refused")
    assert "operations" in second.reason
    assert second.messages == (1,)


def test_an_entry_one_only_calls_known_stays_open() -> None:
    known = Operation("known", (1,), {}, entry=1)

    proposed = combine(
        ingestion_input("Hi."),
        [("two_call", proposal(known, shown=(TEA,))), ("importance", proposal(update(1), shown=(TEA,)))],
    )

    assert [item.op for item in proposed.items] == ["known", "update"]


def test_an_entry_that_was_edited_in_between_is_there_as_each_saw_it() -> None:
    later = shown("Likes green tea", id=TEA.id, version=2)

    proposed = combine(
        ingestion_input("Hi."),
        [
            ("operations", proposal(update(1), shown=(TEA,))),
            ("two_call", proposal(shown=(later,))),
        ],
    )

    [first] = proposed.items
    assert first.entry is not None
    assert proposed.given.entries[first.entry - 1].version == 1
