"""No project ever sees another's rows: every route of the schema is walked with a stranger's key.

Routes added later are walked too, by themselves. A new path parameter wants an object in world.py; a route with a
body wants an example beside it.
"""

import re
from typing import Any

import pytest

from relationships.models import Project
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.documents import multipart
from tests.integration.api.walks.lawful import document
from tests.integration.api.world import SECRET_WORDS, World
from web.uploads import MULTIPART


def routes(*, with_parameters: bool) -> list[Any]:
    """(method, path, operation) of the schema, as cases named by operation ID."""
    return [
        pytest.param(method.upper(), path, described, id=described["operationId"])
        for path, operations in document()["paths"].items()
        for method, described in operations.items()
        if path.startswith("/v1/") and ("{" in path) == with_parameters
    ]


OWNED = routes(with_parameters=True)
OPEN = routes(with_parameters=False)


def ask(api: Api, method: str, address: str, described: Any) -> ApiAnswer:
    """The request as the schema's own example has it."""
    body = described.get("requestBody")
    if body is None:
        return api.send(method, address, None)
    example = next(iter(body["content"].values())).get("examples", {}).get("example", {}).get("value")
    assert example is not None or not body["required"], (
        f"{described['operationId']} takes a body: give it an example, in the examples.json beside its view"
    )
    if MULTIPART in body["content"]:
        return api.send(method, address, *multipart(**{**example, "file": ("a.txt", b"Words.")}))
    return api.send(method, address, example)


@pytest.mark.parametrize(("method", "path", "described"), OWNED)
def test_a_stranger_finds_nothing_where_the_owner_finds_something(
    api: Api, stranger: Api, world: World, method: str, path: str, described: Any
) -> None:
    address = world.address(path)

    foreign = ask(stranger, method, address, described)
    assert foreign.status == 404, foreign
    assert SECRET_WORDS not in foreign.raw.decode()

    own = ask(api, method, address, described)
    assert own.status < 500, own
    assert own.status not in (401, 403, 404), f"the world has nothing at {address}: {own}"


@pytest.mark.parametrize(
    ("method", "path", "described"), [case for case in OWNED if str(case.values[1]).count("_id}") == 2]
)
def test_anothers_thing_below_ones_own_relationship_is_not_there(
    stranger: Api, world: World, method: str, path: str, described: Any
) -> None:
    own = stranger.get("/relationships").body["items"][0]["id"]
    mixed = World({**world.parameters, "relationship_id": own})

    answer = ask(stranger, method, mixed.address(path), described)

    assert answer.status == 404, answer
    assert SECRET_WORDS not in answer.raw.decode()


@pytest.mark.parametrize(("method", "path", "described"), OPEN)
def test_what_belongs_to_no_address_shows_and_changes_only_the_own_project(
    stranger: Api, project: Project, world: World, method: str, path: str, described: Any
) -> None:
    before = project_rows(project)

    answer = ask(stranger, method, path.removeprefix("/v1"), described)

    assert answer.status < 500, answer
    shown = answer.raw.decode()
    assert [name for name, value in world.parameters.items() if len(value) == 36 and value in shown] == []
    assert str(project.id) not in shown
    assert project_rows(project) == before


def project_rows(project: Project) -> list[Any]:
    """What of the project such a route could change."""
    return [
        Project.objects.filter(id=project.id).values().get(),
        list(project.companions.order_by("id").values()),
        list(project.end_users.order_by("id").values()),
        list(project.api_keys.order_by("id").values("id", "name", "scopes", "revoked_at")),
        list(project.relationships.order_by("id").values()),
    ]


@pytest.mark.parametrize(("method", "path", "described"), OWNED)
def test_a_token_of_another_relationship_opens_nothing(
    api: Api, world: World, method: str, path: str, described: Any
) -> None:
    other = api.post("/relationships", {"companion": "ada", "user": "noor"}).body["id"]
    browser = Api(api.post(f"/relationships/{other}/tokens", {"scopes": ["read", "write"]}).body["token"])

    answer = ask(browser, method, world.address(path), described)

    assert answer.status in (403, 404), answer
    assert SECRET_WORDS not in answer.raw.decode()


@pytest.mark.parametrize(("method", "path", "described"), [*OWNED, *OPEN])
def test_without_a_key_every_door_is_closed(db: None, method: str, path: str, described: Any) -> None:
    address = path.removeprefix("/v1").replace("{version}", "1").replace("{number}", "1")
    address = re.sub(r"\{\w+_id\}", "0190a6b0-0000-7000-8000-000000000000", address)
    address = re.sub(r"\{(\w+)\}", r"\1", address.replace("{sha}", "0" * 40))

    assert ask(Api(None), method, address, described).status == 401
