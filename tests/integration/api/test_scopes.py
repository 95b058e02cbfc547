"""A key or a person's token may do just what a view declares, which docs/reference/rest.md repeats: no more, no less."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from relationships.models import Project, Relationship
from tests.fixtures.api import Api, new_key
from tests.guards.routes import routes as declared_routes
from tests.integration.api.test_isolation import OPEN, OWNED, ask
from tests.integration.api.world import World, build_world
from web.authentication import INCLUDED
from worker.waiting import stop_listening

DECLARED = {(route.method, route.path): route for route in declared_routes()}


@pytest.fixture(autouse=True, scope="module")
def listening() -> Iterator[None]:
    """Routes that wait start a listener in this process; it would hold the test database open."""
    yield
    stop_listening()


@pytest.fixture
def world(relationship: Relationship) -> World:
    return build_world(relationship)


def may(api: Api, method: str, address: str, described: Any) -> bool:
    """Whether it is let in. What it does there is undone: the next one meets the same world."""
    with transaction.atomic():
        answer = ask(api, method, address, described)
        transaction.set_rollback(True)
    assert answer.status not in (401, 429) and answer.status < 500, answer
    return answer.status != 403


@pytest.mark.parametrize(("method", "path", "described"), [*OWNED, *OPEN])
def test_a_key_may_what_its_scope_includes(
    project: Project, world: World, method: str, path: str, described: Any
) -> None:
    wanted = DECLARED[method, path].scope

    for scope in ("read", "write", "admin"):
        key = Api(new_key(project, scope))
        assert may(key, method, world.address(path), described) == (wanted in INCLUDED[scope]), scope


@pytest.mark.parametrize(("method", "path", "described"), [*OWNED, *OPEN])
def test_a_token_may_what_is_open_to_tokens_within_its_scope(
    api: Api, relationship: Relationship, world: World, method: str, path: str, described: Any
) -> None:
    route = DECLARED[method, path]

    for scope in ("read", "write"):
        made = api.post(f"/relationships/{relationship.id}/tokens", {"scopes": [scope]})
        lets_in = route.open_to_tokens and route.scope in INCLUDED[scope]
        assert may(Api(made.body["token"]), method, world.address(path), described) == lets_in, scope
