from collections.abc import Callable

import pytest

from memory.ingestion.prompt_versions import create_prompt, publish_prompt
from relationships.models import AuditEvent, Companion
from tests.fixtures.api import TESTER, Api
from web.errors import NotFound
from workspace.gateway.secrets import put_secret

NEW = {"slug": "ada", "name": "Ada", "config": {"context": {"recent_messages": 5}}}


def test_a_companion_is_created_and_read_back(api: Api) -> None:
    created = api.post("/companions", NEW)

    assert created.status == 201
    assert created.headers["ETag"] == '"1"'
    read = api.get(f"/companions/{created.body['id']}")
    assert read.status == 200
    assert read.body == created.body
    assert read.body["config"] == NEW["config"]


def test_a_slug_is_taken_once_in_a_project_and_free_in_another(api: Api, other_project_api: Api) -> None:
    assert api.post("/companions", NEW).status == 201

    again = api.post("/companions", NEW)

    assert again.status == 409
    assert again.body["type"] == "urn:rapport:problem:already_exists"
    assert "another slug" in again.body["detail"]
    assert other_project_api.post("/companions", NEW).status == 201


def test_a_companion_is_found_by_its_slug(api: Api) -> None:
    ada, _ = (api.post("/companions", {**NEW, "slug": slug}).body for slug in ("ada", "adam"))

    assert api.get("/companions?slug=ada").body == {"items": [ada], "next_cursor": None}
    assert api.get("/companions?slug=eve").body["items"] == []


def test_a_list_with_a_wrong_item_is_not_called_empty_too(api: Api) -> None:
    answer = api.post("/companions", {**NEW, "config": {"ingestion": {"types": [{"name": "Injury!"}]}}})

    assert answer.fields == ["config.ingestion.types.0.name"]


def test_a_wrong_configuration_names_the_field_below_config(api: Api) -> None:
    answer = api.post("/companions", {**NEW, "config": {"ingestion": {"max_batch": 0, "speed": 1}}})

    assert answer.status == 422
    assert answer.fields == ["config.ingestion.max_batch", "config.ingestion.speed"]
    assert not Companion.objects.exists()


def test_a_patch_merges_the_configuration_and_leaves_the_rest(api: Api) -> None:
    path = f"/companions/{api.post('/companions', NEW).body['id']}"

    changed = api.patch(path, {"config": {"context": {"recent_messages": None, "group_by_type": True}}})

    assert changed.status == 200
    assert changed.body["config"] == {"context": {"group_by_type": True}}
    assert (changed.body["name"], changed.body["version"]) == ("Ada", 2)


def test_a_change_based_on_an_old_version_is_refused(api: Api) -> None:
    path = f"/companions/{api.post('/companions', NEW).body['id']}"
    api.patch(path, {"name": "Ada Lovelace"}, if_match='"1"')

    stale = api.patch(path, {"name": "Augusta"}, if_match='"1"')

    assert stale.status == 412
    assert stale.body["current_version"] == 2
    assert api.get(path).body["name"] == "Ada Lovelace"
    assert api.patch(path, {"name": "Augusta"}, if_match="*").status == 200


def test_taking_another_companions_slug_is_refused(api: Api) -> None:
    api.post("/companions", NEW)
    path = f"/companions/{api.post('/companions', {**NEW, 'slug': 'bob'}).body['id']}"

    assert api.patch(path, {"slug": "ada"}).status == 409
    assert api.get(path).body["slug"] == "bob"


def test_the_configuration_shows_what_holds_and_where_it_comes_from(api: Api) -> None:
    api.patch("/project", {"config": {"ingestion": {"max_batch": 3}}})
    path = f"/companions/{api.post('/companions', NEW).body['id']}/config"

    shown = api.get(path)

    assert shown.body["config"] == NEW["config"]
    assert shown.body["resolved"]["context"]["recent_messages"] == 5
    assert shown.body["resolved"]["ingestion"]["max_batch"] == 3
    assert shown.body["provenance"]["context.recent_messages"] == "companion"
    assert shown.body["provenance"]["ingestion.max_batch"] == "project"
    assert shown.body["provenance"]["ingestion.strategy"] == "recipe"


def test_a_level_is_replaced_by_put_and_merged_by_patch(api: Api) -> None:
    path = f"/companions/{api.post('/companions', NEW).body['id']}/config"

    assert api.put(path, {"ingestion": {"max_batch": 4}}).body["config"] == {"ingestion": {"max_batch": 4}}
    patched = api.patch(path, {"context": {"recent_messages": 7}}, if_match='"2"')

    assert patched.body["config"] == {"ingestion": {"max_batch": 4}, "context": {"recent_messages": 7}}
    assert patched.headers["ETag"] == '"3"'
    assert api.put(path, {"ingestion": {"types": []}}).fields == ["ingestion.types"]


def test_who_changed_a_companion_is_written_down(api: Api) -> None:
    path = f"/companions/{api.post('/companions', NEW).body['id']}"
    api.patch(path, {"name": "Ada Lovelace"})

    event = AuditEvent.objects.get(action="companion.changed")

    assert event.detail == {"fields": ["name"], "version": 2}
    assert event.actor_kind == "developer"
    assert event.actor_id.startswith("rk_")


@pytest.mark.parametrize("slug", ["", "Ada", "a b", "ada/../x", "a" * 81, "-ada"])
def test_a_slug_is_a_plain_short_name(api: Api, slug: str) -> None:
    assert api.post("/companions", {"slug": slug, "name": "Ada"}).fields == ["slug"]


@pytest.mark.parametrize(
    "write",
    [
        lambda gone: create_prompt(companion=gone, template="Keep all.", note="", publish=True, by=TESTER),
        lambda gone: publish_prompt(companion=gone, version=0, by=TESTER),
        lambda gone: put_secret(companion=gone, name="token", value="x", by=TESTER),
    ],
    ids=["a prompt", "a version", "a secret"],
)
def test_what_is_written_for_a_companion_that_was_just_deleted_is_refused(
    companion: Companion, write: Callable[[Companion], object]
) -> None:
    Companion.objects.filter(id=companion.id).delete()

    with pytest.raises(NotFound):
        write(companion)
