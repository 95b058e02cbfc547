from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from memory.entries.snapshots import Line, line_of, lines_at, rebuild_scratchpad
from memory.models import EntryState, ScratchpadEntry, Tier
from relationships.models import Relationship, Snapshot
from tests.fixtures.contexts import NOON, remember

HOUR = timedelta(hours=1)


def section(relationship: Relationship, **values: Any) -> tuple[list[Line], datetime | None]:
    """The section with one entry, and until when it holds."""
    remember(relationship, "Prefers tea", **values)
    snapshot = Snapshot.objects.get(relationship=relationship)
    return snapshot.scratchpad, snapshot.fresh_until


def test_a_plain_entry_is_a_line_without_more(relationship: Relationship) -> None:
    (line,), fresh_until = section(relationship)

    plain = ScratchpadEntry.objects.get()
    assert line == [str(plain.id), "other", "Prefers tea", None, NOON.timestamp()]
    assert line == line_of(plain)
    assert fresh_until is None


UNUSUAL: dict[str, Any] = {"subject": "Ana", "key": "visit", "pinned": True, "happens_at": "2026-03"}


def test_what_is_not_usual_is_on_the_line(relationship: Relationship) -> None:
    times = {"valid_from": NOON + HOUR, "expires_at": NOON + 2 * HOUR}

    (line,), fresh_until = section(relationship, **UNUSUAL, **times)

    shown = {"from": (NOON + HOUR).timestamp(), "until": (NOON + 2 * HOUR).timestamp()}
    assert line[3] == {**UNUSUAL, **shown}
    assert line_of(ScratchpadEntry.objects.get())[3] == UNUSUAL
    assert fresh_until == NOON + HOUR


@pytest.mark.parametrize(
    ("times", "kept", "fresh_until"),
    [
        ({"expires_at": NOON}, 0, None),
        ({"valid_to": NOON - HOUR}, 0, None),
        ({"valid_from": NOON}, 1, None),
        ({"valid_from": NOON + HOUR}, 1, NOON + HOUR),
        ({"expires_at": NOON + HOUR}, 1, NOON + HOUR),
        ({"expires_at": NOON + 2 * HOUR, "valid_to": NOON + HOUR}, 1, NOON + HOUR),
    ],
    ids=["expired", "no longer valid", "valid by now", "valid later", "expires later", "ends twice"],
)
def test_time_decides_what_is_in_and_until_when_it_holds(
    relationship: Relationship, times: dict[str, datetime], kept: int, fresh_until: datetime | None
) -> None:
    lines, until = section(relationship, **times)

    assert (len(lines), until) == (kept, fresh_until)


def test_lines_are_shown_from_their_beginning_up_to_their_end(relationship: Relationship) -> None:
    lines, fresh_until = section(relationship, valid_from=NOON + HOUR, valid_to=NOON + 3 * HOUR)

    shown = [len(lines_at(lines, fresh_until=fresh_until, now=NOON + hours * HOUR)) for hours in range(5)]

    assert shown == [0, 1, 1, 0, 0]


def test_the_snapshot_holds_active_scratchpad_entries_newest_first(relationship: Relationship) -> None:
    remember(relationship, "older", effective_at=NOON - HOUR)
    remember(relationship, "newer")
    remember(relationship, "archived", tier=Tier.ARCHIVE)
    remember(relationship, "deleted", state=EntryState.DELETED)

    snapshot = Snapshot.objects.get(relationship=relationship)

    assert [line[2] for line in snapshot.scratchpad] == ["newer", "older"]
    assert snapshot.fresh_until is None


def test_rebuilding_takes_one_statement_and_leaves_other_sections(
    relationship: Relationship, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    remember(relationship, *[f"Entry number {place}" for place in range(50)])
    Snapshot.objects.for_relationship(relationship.id).update(profile={"tier": "gold"})

    with django_assert_num_queries(1):
        rebuild_scratchpad(relationship_id=relationship.id, project_id=relationship.project_id, now=NOON)

    assert Snapshot.objects.get(relationship=relationship).profile == {"tier": "gold"}


def test_the_snapshot_says_whether_anything_is_in_the_archive(relationship: Relationship) -> None:
    remember(relationship, "Prefers tea")
    before = Snapshot.objects.get(relationship=relationship).has_archive
    remember(relationship, "Sold the boat", tier=Tier.ARCHIVE)
    rows = ScratchpadEntry.objects.for_relationship(relationship.id)
    archived = Snapshot.objects.get(relationship=relationship).has_archive
    rows.filter(tier=Tier.ARCHIVE).update(state=EntryState.DELETED)
    rebuild_scratchpad(relationship_id=relationship.id, project_id=relationship.project_id, now=NOON)

    after = Snapshot.objects.get(relationship=relationship).has_archive

    assert (before, archived, after) == (False, True, False)
