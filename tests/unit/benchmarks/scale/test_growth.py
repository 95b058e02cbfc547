import pytest

from benchmarks.scale.caches import READ_BY_CONTEXTS
from benchmarks.scale.expectation import HISTORY
from benchmarks.scale.growth import VECTORS, growth_of, room_of, times_of
from benchmarks.scale.tables import Size

KB, GB = 1024, 2**30
ROUNDS = {
    100: [{"context, warm": [1.0, 1.0, 9.0]}, {"context, warm": [2.0, 2.0, 9.0]}],
    10_000: [{"context, warm": [1.2, 1.2, 9.0]}, {"context, warm": [4.0, 4.0, 9.0]}],
}


def test_rounds_are_compared_pair_by_pair() -> None:
    (figure,) = growth_of(ROUNDS).figures

    assert figure.name == "context, warm: 10,000 / 100"
    assert figure.spread is not None
    assert figure.spread == pytest.approx((1.6, 1.2, 2.0))
    assert figure.met is False


def test_what_has_no_goal_is_only_told() -> None:
    rounds = {size: [{"search, any": [1.0]}] for size in (100, 10_000)}

    assert [figure.met for figure in growth_of(rounds).figures] == [None]


def test_what_comes_from_the_disk_stands_beside_what_is_in_memory_and_has_no_goal() -> None:
    inside = {size: [{"context, any, in memory": [1.0], "search, any": [1.0]}] for size in (100, 10_000)}
    disk = {100: [{"context, any, from disk": [1.0]}], 10_000: [{"context, any, from disk": [4.0]}]}

    figures = growth_of(inside, disk).figures

    assert [(figure.name, figure.met) for figure in figures] == [
        ("context, any, in memory: 10,000 / 100", True),
        ("context, any, from disk: 10,000 / 100", None),
        ("search, any: 10,000 / 100", None),
    ]


def test_each_size_has_its_middle_and_its_tail() -> None:
    section = times_of(ROUNDS, name="in_process", title="In process", how="Twice.")

    told = {figure.name: figure.value for figure in section.figures}
    assert told["context, warm: 100 relationships, p50"] == 1.5
    assert told["context, warm: 100 relationships, p95"] == 9.0


def test_what_only_some_have_is_extrapolated() -> None:
    tables = {
        **{name: Size(10_000 * KB // 4, 0) for name in READ_BY_CONTEXTS},
        "memory_scratchpadentry": Size(10_000 * 3 * KB, 10_000 * KB),
        HISTORY: Size(10_000 * KB, 0),  # of every other one
        VECTORS: Size(1000 * 6 * KB, 0),  # of the first thousand
    }

    section = room_of({10_000: tables}, history_of_one_in={10_000: 2}, seconds={})

    told = {figure.name: figure.value for figure in section.figures}
    assert told["each relationship: without history and vectors"] == 5
    assert told["each relationship: of that what contexts read"] == 1
    assert told["each relationship: its history"] == 2
    assert told["each relationship: its vectors, extrapolated"] == 6
    assert told["10,000 relationships with all of that"] == pytest.approx(10_000 * 13 * KB / GB)
