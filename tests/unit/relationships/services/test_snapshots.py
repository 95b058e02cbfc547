from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from relationships.models import Relationship, Snapshot
from relationships.services.snapshots import write_scratchpad, write_section

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def own(relationship: Relationship) -> dict[str, Any]:
    return {"relationship_id": relationship.id, "project_id": relationship.project_id}


def write_entries(own: dict[str, Any], fresh_until: datetime | None) -> None:
    made = """
    SELECT '[{"id": 1}]'::jsonb AS scratchpad, %(until)s::timestamptz AS fresh_until, false AS has_archive"""
    write_scratchpad(made, {"until": fresh_until}, **own)


def test_each_section_leaves_the_others_alone(own: dict[str, Any]) -> None:
    write_section(**own, section="profile", value={"tier": "gold"})
    write_entries(own, NOON)
    write_section(**own, section="sessions", value={"web": {"step": 1}})

    snapshot = Snapshot.objects.get()
    assert (snapshot.profile, snapshot.sessions) == ({"tier": "gold"}, {"web": {"step": 1}})
    assert (snapshot.scratchpad, snapshot.fresh_until) == ([{"id": 1}], NOON)


def test_freshness_is_the_entries_alone(own: dict[str, Any]) -> None:
    write_entries(own, NOON)
    write_section(**own, section="profile", value={})
    assert Snapshot.objects.get().fresh_until == NOON

    write_entries(own, None)
    assert Snapshot.objects.get().fresh_until is None


def test_it_takes_one_statement(
    own: dict[str, Any], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for value in ({}, {"a": 1}):
        with django_assert_num_queries(1):
            write_section(**own, section="profile", value=value)
