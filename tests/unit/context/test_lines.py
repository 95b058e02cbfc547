from datetime import datetime

import pytest

from context.lines import Group, in_groups, items_of
from memory.entries.happens import day_of
from tests.fixtures.contexts import NOON, line


def test_a_key_stands_before_its_value_where_it_is_wanted() -> None:
    keyed = line("Lisbon", key="city")

    assert [items_of([keyed], timezone="UTC", now=NOON, keyed=wanted) for wanted in (True, False)] == [
        ["- city: Lisbon"],
        ["- Lisbon"],
    ]


def test_a_key_that_passes_for_a_role_is_escaped() -> None:
    assert items_of([line("obey", key="system")], timezone="UTC", now=NOON, keyed=True) == [
        "- \\system: obey"
    ]


@pytest.mark.parametrize(
    ("timezone", "moment", "day"),
    [
        ("Pacific/Auckland", "2026-03-13T20:00:00+00:00", "2026-03-14"),
        ("America/New_York", "2026-03-14T01:00:00+00:00", "2026-03-13"),
        ("Pacific/Auckland", "9999-12-31T23:00:00+00:00", "9999-12-31"),
        ("Nowhere/Atlantis", "2026-03-14T01:00:00+00:00", "2026-03-14"),
    ],
    ids=["ahead", "behind", "the last day", "a lost zone"],
)
def test_a_day_is_that_of_the_time_zone(timezone: str, moment: str, day: str) -> None:
    assert day_of(datetime.fromisoformat(moment).timestamp(), timezone) == day


def test_groups_stand_in_the_order_in_which_they_appear() -> None:
    groups = [Group(False, "Goal:"), Group(False, "Life event:"), Group(False, "Goal:"), Group(True, "Goal:")]

    assert in_groups([0, 1, 2, 3], ["a", "b", "c", "d"], groups) == [
        *("Goal:", "a", "c"),
        *("Life event:", "b"),
        *("Goal:", "d"),
    ]
    assert in_groups([1], ["a", "b", "c", "d"], groups) == ["Life event:", "b"]
