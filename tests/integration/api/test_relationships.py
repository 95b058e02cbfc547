from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from relationships.ids import relationship_id
from relationships.models import AuditEvent, Companion, EndUser, Relationship
from tests.fixtures.api import Api, ApiAnswer


def test_a_pair_is_made_once_and_its_user_with_it(api: Api, companion: Companion) -> None:
    first = api.post("/relationships", {"companion": "ada", "user": "maya", "timezone": "Europe/Lisbon"})
    again = api.post("/relationships", {"companion": str(companion.id), "user": "maya"})

    assert (first.status, again.status) == (201, 200)
    assert first.body["id"] == again.body["id"]
    assert again.body["timezone"] == "Europe/Lisbon"
    assert first.body["companion"] == {"id": str(companion.id), "slug": "ada", "name": "Ada"}
    user = EndUser.objects.get()
    assert first.body["id"] == str(relationship_id(companion.id, user.id))


def test_a_user_can_be_named_with_a_display_name(api: Api, companion: Companion) -> None:
    user = {"external_id": "maya", "display_name": "Maya"}

    made = api.post("/relationships", {"companion": "ada", "user": user})

    assert made.body["user"]["display_name"] == "Maya"


def test_a_persons_name_and_time_zone_are_taken_as_they_are_now(api: Api, relationship: Relationship) -> None:
    user = {"external_id": "maya", "display_name": "Maya Oliveira"}
    sent = {"companion": "ada", "user": user, "timezone": "Asia/Tokyo"}

    first, again = api.post("/relationships", sent), api.post("/relationships", sent)

    assert (first.status, again.status) == (200, 200)
    assert first.body == again.body == api.get(f"/relationships/{relationship.id}").body | {"kept": []}
    assert (first.body["timezone"], first.body["user"]["display_name"]) == ("Asia/Tokyo", "Maya Oliveira")
    assert first.headers["ETag"] == again.headers["ETag"] == '"2"'
    audited = AuditEvent.objects.filter(action__endswith=".changed").order_by("id")
    assert [(event.action, event.detail) for event in audited] == [
        ("user.changed", {"fields": ["display_name"], "version": 2}),
        ("relationship.changed", {"fields": ["timezone"], "version": 2}),
    ]


def test_what_is_not_said_stays_as_it_is(api: Api, relationship: Relationship) -> None:
    Relationship.objects.update(timezone="Europe/Lisbon")

    for user in ("maya", {"external_id": "maya"}):
        found = api.post("/relationships", {"companion": "ada", "user": user})
        assert (found.body["timezone"], found.body["user"]["display_name"]) == ("Europe/Lisbon", "Maya")
    assert not AuditEvent.objects.filter(action__endswith=".changed").exists()


def test_a_person_who_is_there_is_named_for_a_new_companion_too(api: Api, relationship: Relationship) -> None:
    api.post("/companions", {"slug": "bob", "name": "Bob"})

    made = api.post(
        "/relationships", {"companion": "bob", "user": {"external_id": "maya", "display_name": "May"}}
    )

    assert (made.status, made.body["user"]["display_name"]) == (201, "May")


def test_a_configuration_that_is_there_is_kept_and_the_answer_says_so(
    api: Api, relationship: Relationship
) -> None:
    sent = {"companion": "ada", "user": "maya", "config": {"context": {"recent_messages": 3}}}

    found = api.post("/relationships", sent)

    assert (found.status, found.body["config"], found.body["kept"]) == (200, {}, ["config"])
    api.patch(f"/relationships/{relationship.id}", {"config": sent["config"]})
    assert api.post("/relationships", sent).body["kept"] == []
    made = api.post("/relationships", sent | {"user": "noor"})
    assert (made.status, made.body["config"], made.body["kept"]) == (201, sent["config"], [])


def test_an_unknown_companion_is_named_and_no_user_is_left_behind(api: Api) -> None:
    answer = api.post("/relationships", {"companion": "nobody", "user": "maya"})

    assert answer.status == 422
    assert answer.fields == ["companion"]
    assert not EndUser.objects.exists()


def test_another_projects_companion_is_an_unknown_one(other_project_api: Api, companion: Companion) -> None:
    for name in ("ada", str(companion.id)):
        answer = other_project_api.post("/relationships", {"companion": name, "user": "maya"})
        assert (answer.status, answer.fields) == (422, ["companion"])


def test_a_relationship_is_changed_with_its_version_in_hand(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}"

    changed = api.patch(path, {"timezone": "Europe/Lisbon", "config": {"sessions": {"idle_minutes": 5}}})

    assert changed.status == 200
    assert changed.body["timezone"] == "Europe/Lisbon"
    assert changed.headers["ETag"] == '"2"'
    assert api.patch(path, {"timezone": "UTC"}, if_match='"1"').status == 412
    assert api.patch(path, {"config": {"sessions": {"idle_minutes": -1}}}).fields == [
        "config.sessions.idle_minutes"
    ]
    assert AuditEvent.objects.get(action="relationship.changed").detail["fields"] == ["config", "timezone"]


def test_what_changes_nothing_makes_no_version(
    api: Api, relationship: Relationship, companion: Companion
) -> None:
    paths = [
        f"/relationships/{relationship.id}",
        f"/users/{relationship.user_id}",
        f"/companions/{companion.id}",
    ]
    for path in [*paths, "/project", f"/companions/{companion.id}/config"]:
        before = api.get(path)
        same = {
            name: before.body[name] for name in ("timezone", "display_name", "name") if name in before.body
        }
        for body in ({}, same):
            assert api.patch(path, body).status == 200
        assert api.get(path).headers["ETag"] == before.headers["ETag"]
    assert not AuditEvent.objects.filter(action__endswith=".changed").exists()

    assert api.patch(paths[1], {"metadata": {"vip": 1}, "display_name": "Maya"}).headers["ETag"] == '"2"'
    vip = api.patch(paths[1], {"metadata": {"vip": True}, "display_name": "Maya"})
    assert (vip.body["metadata"]["vip"], vip.headers["ETag"]) == (True, '"3"')
    assert AuditEvent.objects.filter(action="user.changed").latest("id").detail["fields"] == ["metadata"]


def test_the_list_filters_by_companion_and_user(api: Api, relationship: Relationship) -> None:
    api.post("/companions", {"slug": "bob", "name": "Bob"})
    api.post("/relationships", {"companion": "bob", "user": "maya"})
    api.post("/relationships", {"companion": "bob", "user": "noor"})

    def names(query: str) -> list[tuple[str, str]]:
        items = api.get(f"/relationships{query}").body["items"]
        return [(item["companion"]["slug"], item["user"]["external_id"]) for item in items]

    assert names("") == [("bob", "noor"), ("bob", "maya"), ("ada", "maya")]
    assert names("?user=maya") == [("bob", "maya"), ("ada", "maya")]
    assert names("?companion=ada") == [("ada", "maya")]
    assert names(f"?companion={relationship.companion_id}&user=noor") == []


@pytest.mark.django_db(transaction=True)
def test_of_many_who_ask_at_once_one_makes_the_relationship(api: Api, companion: Companion) -> None:
    def ask(_: int) -> ApiAnswer:
        try:
            return Api(api.key).post("/relationships", {"companion": "ada", "user": "maya"})
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))

    assert sorted(answer.status for answer in answers) == [200] * 7 + [201]
    assert len({answer.body["id"] for answer in answers}) == 1
    assert EndUser.objects.count() == Relationship.objects.count() == 1
