import pytest
from pytest_django import Settings

from relationships.models import AuditEvent, Profile, ProfileRevision, Relationship, Snapshot
from tests.fixtures.api import Api


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/profile"


def test_there_is_an_empty_profile_from_the_start(api: Api, path: str) -> None:
    empty = api.get(path)

    assert (empty.status, empty.body, empty.headers["ETag"]) == (200, {}, '"0"')


def test_a_profile_is_replaced_and_stands_in_the_snapshot(api: Api, path: str) -> None:
    api.put(path, {"tier": "gold", "pets": ["Rex"]})

    put = api.put(path, {"tier": "silver"})

    assert (put.body, put.headers["ETag"]) == ({"tier": "silver"}, '"2"')
    assert api.get(path).body == {"tier": "silver"}
    assert Snapshot.objects.get().profile == {"tier": "silver"}


@pytest.mark.parametrize("content_type", ["application/merge-patch+json", "application/json"])
def test_a_patch_merges_and_null_removes(api: Api, path: str, content_type: str) -> None:
    api.put(path, {"tier": "gold", "address": {"city": "Lisbon", "zip": "1100"}})

    patched = api.send("PATCH", path, {"tier": None, "address": {"city": "Porto"}}, content_type)

    assert patched.status == 200
    assert patched.body == {"address": {"city": "Porto", "zip": "1100"}}
    assert Snapshot.objects.get().profile == patched.body


def test_a_profile_can_be_made_only_where_there_is_none(api: Api, path: str) -> None:
    assert api.put(path, {"a": 1}, if_match='"0"').status == 200
    assert api.put(path, {"a": 2}, if_match='"0"').status == 412
    assert api.get(path).body == {"a": 1}


def test_the_same_again_makes_no_new_version(api: Api, path: str) -> None:
    api.put(path, {"tier": "gold"})

    again = api.put(path, {"tier": "gold"})

    assert again.headers["ETag"] == '"1"'
    assert ProfileRevision.objects.count() == 1


@pytest.mark.parametrize(("was", "is_now"), [(1, True), ([0], [False]), (1, 1.0)], ids=str)
def test_true_in_place_of_1_is_a_change(api: Api, path: str, was: object, is_now: object) -> None:
    api.put(path, {"vip": was})

    again = api.patch(path, {"vip": is_now})

    assert (repr(again.body["vip"]), again.headers["ETag"]) == (repr(is_now), '"2"')
    assert repr(api.get(path).body["vip"]) == repr(is_now)


def test_so_it_is_in_an_entrys_metadata(api: Api, relationship: Relationship) -> None:
    entries = f"/relationships/{relationship.id}/entries"
    entry = api.post(entries, {"type": "other", "content": "Likes tea", "metadata": {"vip": 1}}).body

    changed = api.patch(f"{entries}/{entry['id']}", {"metadata": {"vip": True}})

    assert (changed.body["metadata"]["vip"], changed.body["version"]) == (True, 2)
    assert api.get(f"{entries}/{entry['id']}").body["metadata"]["vip"] is True


def test_a_profile_over_the_limit_is_refused_and_nothing_is_written(
    api: Api, path: str, settings: Settings
) -> None:
    settings.MAX_PROFILE_BYTES = 100
    api.put(path, {"note": "x" * 50})

    too_long = api.patch(path, {"more": "y" * 50})

    assert too_long.status == 413
    assert too_long.body["limit"] == 100
    assert api.get(path).body == {"note": "x" * 50}
    assert Profile.objects.get().version == 1


def test_the_audit_trail_names_the_version_and_holds_no_data(api: Api, path: str) -> None:
    api.put(path, {"secret": "likes jazz"})

    assert AuditEvent.objects.get(action="profile.changed").detail == {"version": 1}
