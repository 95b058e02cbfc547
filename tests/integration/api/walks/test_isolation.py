"""No project ever sees another's rows: every route of the schema is walked with a stranger's key.

Routes added later are walked too, by themselves. A new path parameter wants an object in world.py; a route with a
body wants an example beside it.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.db import transaction

from relationships.models import Project
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.documents import multipart
from tests.integration.api.walks.lawful import document
from tests.integration.api.world import SECRET_WORDS, World
from web.uploads import MULTIPART


class Route(NamedTuple):
    """An operation of the schema."""

    method: str
    path: str
    described: Any

    @property
    def id(self) -> str:
        return str(self.described["operationId"])


def routes(*, with_parameters: bool) -> list[Route]:
    return [
        Route(method.upper(), path, described)
        for path, operations in document()["paths"].items()
        for method, described in operations.items()
        if path.startswith("/v1/") and ("{" in path) == with_parameters
    ]


OWNED = routes(with_parameters=True)
OPEN = routes(with_parameters=False)


def walk(routes: Iterable[Route], hold: Callable[[Route], None]) -> None:
    """Ask each, which meets the same world, and tell of all that do not hold."""
    broken: dict[str, str] = {}
    for route in routes:
        try:
            with transaction.atomic():
                hold(route)
                transaction.set_rollback(True)
        except AssertionError as error:
            broken[route.id] = str(error)
    assert not broken, "\n".join(f"{name}: {error}" for name, error in broken.items())


def ask(api: Api, address: str, route: Route) -> ApiAnswer:
    """The request as the schema's own example has it."""
    body = route.described.get("requestBody")
    if body is None:
        return api.send(route.method, address, None)
    example = next(iter(body["content"].values())).get("examples", {}).get("example", {}).get("value")
    assert example is not None or not body["required"], (
        f"{route.id} takes a body: give it an example, in the examples.json beside its view"
    )
    if MULTIPART in body["content"]:
        return api.send(route.method, address, *multipart(**{**example, "file": ("a.txt", b"Words.")}))
    return api.send(route.method, address, example)


def test_a_stranger_finds_nothing_where_the_owner_finds_something(
    api: Api, stranger: Api, world: World
) -> None:
    def hold(route: Route) -> None:
        address = world.address(route.path)

        foreign = ask(stranger, address, route)
        assert foreign.status == 404, foreign
        assert SECRET_WORDS not in foreign.raw.decode()

        own = ask(api, address, route)
        assert own.status < 500, own
        assert own.status not in (401, 403, 404), f"the world has nothing at {address}: {own}"

    walk(OWNED, hold)


def test_anothers_thing_below_ones_own_relationship_is_not_there(stranger: Api, world: World) -> None:
    own = stranger.get("/relationships").body["items"][0]["id"]
    mixed = World({**world.parameters, "relationship_id": own})

    def hold(route: Route) -> None:
        answer = ask(stranger, mixed.address(route.path), route)

        assert answer.status == 404, answer
        assert SECRET_WORDS not in answer.raw.decode()

    walk([route for route in OWNED if route.path.count("_id}") == 2], hold)


def test_what_belongs_to_no_address_shows_and_changes_only_the_own_project(
    stranger: Api, project: Project, world: World
) -> None:
    before = project_rows(project)

    def hold(route: Route) -> None:
        answer = ask(stranger, route.path.removeprefix("/v1"), route)

        assert answer.status < 500, answer
        shown = answer.raw.decode()
        assert [name for name, value in world.parameters.items() if len(value) == 36 and value in shown] == []
        assert str(project.id) not in shown
        assert project_rows(project) == before

    walk(OPEN, hold)


def project_rows(project: Project) -> list[Any]:
    """What of the project such a route could change."""
    return [
        Project.objects.filter(id=project.id).values().get(),
        list(project.companions.order_by("id").values()),
        list(project.end_users.order_by("id").values()),
        list(project.api_keys.order_by("id").values("id", "name", "scopes", "revoked_at")),
        list(project.relationships.order_by("id").values()),
    ]


def test_a_token_of_another_relationship_opens_nothing(api: Api, world: World) -> None:
    other = api.post("/relationships", {"companion": "ada", "user": "noor"}).body["id"]
    browser = Api(api.post(f"/relationships/{other}/tokens", {"scopes": ["read", "write"]}).body["token"])

    def hold(route: Route) -> None:
        answer = ask(browser, world.address(route.path), route)

        assert answer.status in (403, 404), answer
        assert SECRET_WORDS not in answer.raw.decode()

    walk(OWNED, hold)


def test_without_a_key_every_door_is_closed(db: None) -> None:
    def hold(route: Route) -> None:
        address = route.path.removeprefix("/v1").replace("{version}", "1").replace("{number}", "1")
        address = re.sub(r"\{\w+_id\}", "0190a6b0-0000-7000-8000-000000000000", address)
        address = re.sub(r"\{(\w+)\}", r"\1", address.replace("{sha}", "0" * 40))

        assert ask(Api(None), address, route).status == 401

    walk([*OWNED, *OPEN], hold)
