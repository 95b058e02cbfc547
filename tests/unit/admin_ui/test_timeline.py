from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from admin_ui.timeline import MOST_LANES, Event, Span, ValueHistory, axis_of, dots_of, rows_of

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ID = UUID(int=1)


def days(number: int) -> datetime:
    return NOW + timedelta(days=number)


def event(at: int) -> Event:
    return Event(ID, "x", "then", days(at), days(at + 1), ended=False)


@pytest.mark.parametrize(
    ("spans", "first", "last"),
    [
        ([], -14, 0),
        ([(-100, -50)], -100, 0),
        ([(-100, None)], -100, 0),
        ([(-100, -99), (200, 201)], -100, 201),
        ([(-100, -99), (9000, 9001), (-9000, -8999)], -100, 0),
    ],
    ids=["nothing", "past", "until now", "ahead", "far outside"],
)
def test_a_line_holds_what_is_near_and_now(
    spans: list[tuple[int, int | None]], first: int, last: int
) -> None:
    moments = [(days(begin), None if end is None else days(end)) for begin, end in spans]
    axis = axis_of(moments, now=NOW, reach=timedelta(days=365))

    length = last - first
    assert 0 < axis.at(days(first)) < 5
    assert axis.at(days(last)) == pytest.approx(100 - axis.at(days(first)), abs=0.1)
    assert axis.today == pytest.approx(100 * (0.04 - first / length) / 1.08, abs=0.1)
    assert (axis.at(days(-9000)), axis.at(days(9000))) == (0, 100)


def test_values_that_hold_at_once_stand_below_one_another() -> None:
    jobs = [Span(ID, "nurse", days(-90), days(-30)), Span(ID, "teacher", days(-60), None)]
    after = Span(ID, "retired", days(-10), None)
    axis = axis_of([(part.begins, part.ends) for part in jobs], now=NOW)

    (row,) = rows_of([ValueHistory("", "job", True, [after, *jobs])], axis)

    assert [(bar.span.text, bar.lane) for bar in row.bars] == [
        ("nurse", 0),
        ("teacher", 1),
        ("retired", 0),
    ]
    assert row.lanes == 2
    assert all(bar.x >= 0 and bar.x + bar.width <= 100.01 for bar in row.bars)


def test_events_of_one_day_do_not_hide_one_another_but_take_no_more_room_than_there_is() -> None:
    axis = axis_of([(days(-100), None)], now=NOW)

    dots, lanes = dots_of([event(-50), event(-50), event(-80)], axis)
    _, most = dots_of([event(-50)] * 20, axis)

    assert [dot.lane for dot in dots] == [0, 0, 1]
    assert (lanes, most) == (2, MOST_LANES)
