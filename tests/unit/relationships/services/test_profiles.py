from typing import Any

import pytest
from django.db import DatabaseError, connection

from relationships.ids import uuid7
from relationships.models import Companion, Profile, ProfileRevision, Relationship, Snapshot
from relationships.services.profiles import patch_profile, read_profile, replace_profile
from web.actor import Actor
from web.errors import InvalidInput, NotFound

BY = Actor.policy("test")


@pytest.mark.parametrize("table", ["profilerevision", "snapshot", "auditevent"])
def test_where_one_of_the_writes_fails_none_is_left(relationship: Relationship, table: str) -> None:
    def break_it(execute: Any, sql: Any, params: Any, many: bool, ctx: Any) -> Any:
        if "INSERT" in str(sql) and f"relationships_{table}" in str(sql):
            raise DatabaseError("broken")
        return execute(sql, params, many, ctx)

    with connection.execute_wrapper(break_it), pytest.raises(DatabaseError):
        replace_profile(relationship=relationship, data={"tier": "gold"}, by=BY)

    assert not Profile.objects.exists()
    assert not ProfileRevision.objects.exists()
    assert not Snapshot.objects.exists()


def test_an_erased_relationship_has_no_profile(relationship: Relationship) -> None:
    gone = Relationship(id=uuid7(), project_id=relationship.project_id)

    with pytest.raises(NotFound):
        replace_profile(relationship=gone, data={}, by=BY)


@pytest.mark.parametrize("patched", [False, True], ids=["replaced", "patched"])
def test_a_profile_has_to_fit_the_companions_schema(relationship: Relationship, patched: bool) -> None:
    shape = {"properties": {"tier": {"enum": ["gold", "silver"]}}}
    Companion.objects.update(config={"profile": {"json_schema": shape}})
    relationship = Relationship.objects.get()
    replace_profile(relationship=relationship, data={"tier": "gold"}, by=BY)

    with pytest.raises(InvalidInput, match="tier: 'brass' is not one of"):
        if patched:
            patch_profile(relationship=relationship, patch={"tier": "brass"}, by=BY)
        else:
            replace_profile(relationship=relationship, data={"tier": "brass"}, by=BY)

    assert read_profile(relationship.id) == ({"tier": "gold"}, 1)
