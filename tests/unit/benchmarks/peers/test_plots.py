from benchmarks.peers.findings import Line
from benchmarks.peers.plots import chosen, panel_of


def test_a_panel_has_a_bar_for_each_system_with_a_number() -> None:
    panel = panel_of(Line("fetch", "ms", {"rapport": [1.0, 2.0, 3.0], "mem0": "it has none"}))

    assert panel is not None
    assert (panel["systems"], panel["middles"], panel["lows"], panel["highs"]) == (
        ["rapport"],
        [2.0],
        [1.0],
        [3.0],
    )


def test_there_is_no_panel_without_numbers() -> None:
    assert panel_of(Line("purge", "ms", {"mem0": "it has none"})) is None


def test_what_is_the_same_for_all_is_not_drawn_and_tails_come_last() -> None:
    same, tail, middle = (
        Line("calls", "", {"a": [1.0], "b": [1.0]}),
        Line("fetch, p95", "ms", {"a": [1.0], "b": [2.0]}),
        Line("fetch, p50", "ms", {"a": [1.0], "b": [2.0]}),
    )

    assert chosen([same, tail, middle]) == [middle, tail]


def test_widely_different_bars_are_drawn_on_a_logarithmic_scale() -> None:
    panel = panel_of(Line("fetch", "ms", {"a": [1.0], "b": [100.0]}))

    assert panel is not None
    assert panel["logarithmic"]
