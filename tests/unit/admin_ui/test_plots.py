import pytest
from hypothesis import given
from hypothesis import strategies as st

from admin_ui.plots import HEIGHT, WIDTH, stacked_bars


def test_the_highest_bar_fills_the_height_and_its_parts_stand_on_each_other() -> None:
    plot = stacked_bars(["1 Mar", "2 Mar"], {"good": [6, 1], "bad": [2, 0]})

    highest, lower = plot.bars
    assert [(part.series, part.y, part.height) for part in highest.segments] == [
        (0, HEIGHT / 4, HEIGHT * 3 / 4),
        (1, 0, HEIGHT / 4),
    ]
    assert [part.height for part in lower.segments] == [HEIGHT / 8]
    assert lower.says == "2 Mar: 1 good, 0 bad"


@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), max_size=40))
def test_no_bar_leaves_the_drawing(figures: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in figures], [b for _, b in figures]

    plot = stacked_bars([str(place) for place in range(len(figures))], {"a": first, "b": second})

    for bar in plot.bars:
        assert bar.x >= -0.01 and bar.x + bar.width <= WIDTH + 0.1
        assert all(part.y >= -0.02 and part.y + part.height <= HEIGHT + 0.02 for part in bar.segments)


@pytest.mark.parametrize("figures", [{"a": []}, {"a": [0.0, 0.0]}])
def test_nothing_to_draw_is_known(figures: dict[str, list[float]]) -> None:
    assert stacked_bars([""] * len(figures["a"]), figures).empty
