from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from relationships.models import AuditEvent, Relationship, RelationshipToken
from relationships.services.tokens import drop_expired_tokens
from tests.fixtures.api import Api
from web.server.admission import Client
from web.server.clients import CLIENT


def token_for(api: Api, at: str, *scopes: str) -> Api:
    return Api(api.post(f"{at}/tokens", {"scopes": list(scopes)}).body["token"])


def test_it_counts_for_its_person_whom_the_project_is_not_to_wait_for(
    api: Api, at: str, relationship: Relationship
) -> None:
    counted = []
    for key in (api.key, token_for(api, at, "read").key, token_for(api, at, "write").key):
        answer = api.client.get(f"/v1{at}", HTTP_AUTHORIZATION=f"Bearer {key}")
        counted.append(answer.wsgi_request.META[CLIENT])

    project, person = str(relationship.project_id), str(relationship.id)
    assert counted == [Client(project), Client(project, person), Client(project, person)]


def test_the_link_to_the_memory_page_tells_what_it_may(api: Api, at: str) -> None:
    for scopes, more in ((["write"], ""), (["read", "write"], ""), (["read"], "&scopes=read")):
        made = api.post(f"{at}/tokens", {"scopes": scopes}).body
        assert made["page"] == f"/memory#token={made['token']}{more}"


def test_a_token_can_not_choose_the_configuration_of_a_turn(api: Api, at: str) -> None:
    turn = {"messages": [{"role": "user", "content": "Hello."}], "config": {"ingestion": {"enabled": False}}}

    assert token_for(api, at, "write").post(f"{at}/turns", turn).status == 403


def test_a_token_is_shown_no_configuration(api: Api, at: str) -> None:
    config = {"events": {"webhook": {"url": "https://example.com/secret"}}}
    api.patch(at, {"config": config})
    turn = {"messages": [{"role": "user", "content": "Hello."}], "config": config}
    turn_path = f"{at}/turns/{api.post(f'{at}/turns', turn).body['id']}"
    browser, asked = token_for(api, at, "write"), {"message": "Hello?", "explain": True}

    shown = [browser.get(at).body["config"], browser.get(turn_path).body["config"]]
    context = browser.post(f"{at}/context", asked).body

    assert (shown, context["provenance"]) == ([{}, {}], None)
    assert context["layers"][0]["reasons"] is not None
    assert [api.get(at).body["config"], api.get(turn_path).body["config"]] == [config, config]
    assert api.post(f"{at}/context", asked).body["provenance"]["events.webhook.url"] == "relationship"


def test_a_revoked_token_opens_nothing(api: Api, at: str) -> None:
    made = api.post(f"{at}/tokens", {"scopes": ["read"]}).body

    assert api.delete(f"{at}/tokens/{made['id']}").status == 204
    assert api.delete(f"{at}/tokens/{made['id']}").status == 204
    refused = Api(made["token"]).get(at)
    assert (refused.status, refused.body["detail"]) == (401, "This token was revoked.")
    assert api.delete(f"{at}/tokens/{uuid4()}").status == 404


def test_tokens_are_revoked_with_the_key_that_made_them(
    api: Api, at: str, relationship: Relationship
) -> None:
    stolen = api.post("/api-keys", {"name": "Stolen", "scopes": ["write"]}).body
    theirs, ours = token_for(Api(stolen["key"]), at, "write"), token_for(api, at, "write")
    assert api.delete(f"/api-keys/{stolen['id']}").status == 204

    assert [theirs.get(at).status, ours.get(at).status] == [401, 200]
    assert [one["revoked_at"] is None for one in api.get(f"{at}/tokens").body["items"]] == [True, False]
    assert AuditEvent.objects.get(action="api_key.revoked").detail["tokens"] == 1
    # One that is made while the key is being revoked opens nothing either.
    RelationshipToken.objects.for_relationship(relationship.id).update(revoked_at=None)
    assert [theirs.get(at).status, ours.get(at).status] == [401, 200]


def test_what_opens_a_relationship_is_listed_without_the_tokens_themselves(
    api: Api, at: str, relationship: Relationship
) -> None:
    tokens = [api.post(f"{at}/tokens", {"scopes": [scope]}).body for scope in ("read", "write", "read")]
    rows = RelationshipToken.objects.for_relationship(relationship.id)
    rows.filter(id=tokens[0]["id"]).update(expires_at=datetime.now(UTC))
    api.delete(f"{at}/tokens/{tokens[1]['id']}")
    listed = api.get(f"{at}/tokens")

    assert [one["id"] for one in listed.body["items"]] == [tokens[2]["id"], tokens[1]["id"]]
    assert [one["revoked_at"] is None for one in listed.body["items"]] == [True, False]
    assert not any(token["token"].encode() in listed.raw for token in tokens)
    assert token_for(api, at, "read").get(f"{at}/tokens").status == 403


def test_an_expired_token_opens_nothing_and_is_swept_away(api: Api, at: str) -> None:
    made = api.post(f"{at}/tokens", {"scopes": ["read"], "expires_in": 60}).body
    api.post(f"{at}/tokens", {"scopes": ["read"], "expires_in": 600})
    now = datetime.now(UTC)
    row = RelationshipToken.objects.filter(id=UUID(made["id"]))
    row.update(expires_at=now - timedelta(seconds=1))

    assert Api(made["token"]).get(at).status == 401
    assert drop_expired_tokens(now) == 1
    assert RelationshipToken.objects.count() == 1


def test_a_token_of_one_relationship_never_passes_for_anothers(api: Api, at: str) -> None:
    other = api.post("/relationships", {"companion": "ada", "user": "noor"}).body["id"]
    token = api.post(f"{at}/tokens", {"scopes": ["read"]}).body["token"]
    forged = f"rt_{UUID(other).hex}_{token.split('_', 2)[2]}"

    assert Api(forged).get(f"/relationships/{other}").status == 401


def test_checking_a_token_takes_one_query(
    api: Api, at: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = token_for(api, at, "read")
    browser.get(at)  # takes its first share of its limit

    with django_assert_num_queries(2):  # the token, the relationship
        browser.get(at)


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "scopes"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["admin"]}, "scopes.0"),
        ({"scopes": ["read"], "expires_in": 59}, "expires_in"),
        ({"scopes": ["read"], "expires_in": 86_401}, "expires_in"),
        ({"scopes": ["read"], "expires_in": "900"}, "expires_in"),
        ({"scopes": ["read"], "expires_in": True}, "expires_in"),
    ],
)
def test_a_token_is_asked_for_properly(api: Api, at: str, sent: object, field: str) -> None:
    answer = api.post(f"{at}/tokens", sent)

    assert (answer.status, answer.fields) == (422, [field])
