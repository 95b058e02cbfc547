import pytest

from benchmarks.scale.expectation import GB, HISTORY, DoesNotFit, expect

EACH = {"memory_scratchpadentry": 20_000.0, HISTORY: 20_000.0}  # bytes a relationship


def test_with_room_for_all_everybody_has_a_history() -> None:
    expectation = expect(100_000, EACH, free=60 * GB, bound=40 * GB)

    assert expectation.history_of_one_in == 1
    assert expectation.data == expectation.whole_data == pytest.approx(100_000 * 40_000 * 1.05)


def test_where_not_all_fits_as_many_keep_their_history_as_do() -> None:
    expectation = expect(1_000_000, EACH, free=60 * GB, bound=30 * GB)

    assert expectation.history_of_one_in == 2
    assert expectation.data <= 30 * GB < expectation.whole_data


def test_building_the_indexes_needs_room_too() -> None:
    assert expect(1_000_000, EACH, free=60 * GB, bound=60 * GB).at_most > 39 * GB + 2 * GB


@pytest.mark.parametrize(
    ("free", "bound"), [(60 * GB, 10 * GB), (20 * GB, 40 * GB)], ids=["the bound", "the disk"]
)
def test_what_does_not_fit_without_history_is_refused(free: float, bound: float) -> None:
    with pytest.raises(DoesNotFit, match="Try fewer"):
        expect(1_000_000, EACH, free=free, bound=bound)
