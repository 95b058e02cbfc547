from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from relationships.models import ApiKey, AuditEvent
from tests.fixtures.api import Api

SECRET = "x" * 43


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic dXNlcjpwYXNz",
        "Bearer nonsense",
        f"Bearer rk_abcdefgh_{SECRET}",
        f"Bearer rk_ABCDEFGH_{SECRET}",
        f"Bearer rt_{'0' * 32}_{SECRET}",
        "Bearer rk_abcdefgh_" + "é" * 43,
        "Bearer " + "x" * 5000,
    ],
)
def test_without_a_known_key_nobody_comes_in(api: Api, header: str | None) -> None:
    stranger = Api(None)

    answer = stranger.get("/project", **({} if header is None else {"authorization": header}))

    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.headers["Content-Type"] == "application/problem+json"
    if header is None or not header.startswith("Bearer"):
        assert answer.body["detail"] == "Send your key as: Authorization: Bearer rk_..."


def test_only_a_hash_of_the_key_is_kept(api_key: str) -> None:
    key = ApiKey.objects.get()

    assert key.prefix == api_key[:11]
    assert len(bytes(key.key_hash)) == 32
    assert api_key[12:] not in str(ApiKey.objects.values().get())


def test_authentication_takes_one_query(api: Api, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    api.get("/config-schema")

    with django_assert_num_queries(1):
        api.get("/config-schema")


def test_the_last_use_is_noted_at_most_once_a_minute(api: Api) -> None:
    api.get("/config-schema")
    first = ApiKey.objects.get().last_used_at
    api.get("/config-schema")

    assert ApiKey.objects.get().last_used_at == first
    ApiKey.objects.update(last_used_at=datetime.now(UTC) - timedelta(seconds=61))
    api.get("/config-schema")
    noted = ApiKey.objects.get().last_used_at
    assert first is not None
    assert noted is not None
    assert noted > first


def test_a_key_is_created_shown_once_and_revoked(api: Api) -> None:
    created = api.post("/api-keys", {"name": "Production", "scopes": ["write", "read"]})
    key = Api(created.body["key"])

    assert created.status == 201
    assert created.body["scopes"] == ["read", "write"]
    assert key.get("/project").status == 200
    listed = api.get("/api-keys").body["items"]
    assert [row["name"] for row in listed] == ["Production", "Test"]
    assert "key" not in listed[0]

    assert api.delete(f"/api-keys/{created.body['id']}").status == 204
    assert api.delete(f"/api-keys/{created.body['id']}").status == 204
    assert key.get("/project").status == 401
    assert api.get("/api-keys").body["items"][0]["revoked_at"] is not None
    assert list(AuditEvent.objects.filter(action__startswith="api_key.rev").values_list("action")) == [
        ("api_key.revoked",)
    ]


@pytest.mark.parametrize("scopes", [[], ["root"], ["read", "write", "admin", "read"], "read", None])
def test_a_key_has_known_scopes(api: Api, scopes: object) -> None:
    answer = api.post("/api-keys", {"name": "Production", "scopes": scopes})

    assert answer.status == 422
    assert answer.fields[0].startswith("scopes")


def test_a_method_an_address_does_not_take_is_405(api: Api) -> None:
    for method in ("DELETE", "PUT", "OPTIONS", "TRACE"):
        answer = api.send(method, "/config-schema", None)
        assert (answer.status, answer.headers["Content-Type"]) == (405, "application/problem+json")
        assert answer.headers["Allow"] == "GET, HEAD"
