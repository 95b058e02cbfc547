import numpy as np

from benchmarks.recall.tables import Table, as_markdown, row_of

HALF = np.array([[0.0, 1.0], [1.0, 1.0]] * 40)


def test_a_row_tells_means_in_points_the_paired_change_and_the_goals() -> None:
    row = row_of("best", HALF, against=HALF - [0.1, 0], goals=(68, 95))
    assert row.at_10.startswith("50.0 [")
    assert row.at_20 == "100.0 [100.0, 100.0]"
    assert row.change == "+10.0 [+10.0, +10.0]"
    assert row.goal == "68 @10 MISSED, 95 @20 met"


def test_a_table_is_kept_as_markdown() -> None:
    told = as_markdown([Table("Title", "How.", [row_of("best", HALF)])])
    assert told.startswith("## Title\n\nHow.\n\n|  | @10 | @20 | change @10 | goal |\n| --- | ---: |")
    assert "| best | 50.0 [" in told
