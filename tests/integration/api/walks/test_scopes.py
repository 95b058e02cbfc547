"""A key or a person's token may do just what a view declares, which docs/reference/rest.md repeats: no more, no less."""

from typing import Any

import pytest
from django.db import transaction

from relationships.models import Project, Relationship
from tests.fixtures.api import Api, new_key
from tests.guards.routes import routes as declared_routes
from tests.integration.api.walks.test_isolation import OPEN, OWNED, ask
from tests.integration.api.world import World
from web.actor import Actor
from web.authentication import INCLUDED
from workspace.models import Worker
from workspace.sessions.verbs import start_session

DECLARED = {(route.method, route.path): route for route in declared_routes()}


# They send a question, which is too long for an address.
ASKS = {"context_build", "entries_search", "messages_search", "documents_search", "behaviours_dry_run"}
EXAMPLES = {"agent_tools_write": "admin"}  # what an operation's example needs, as this one sends a secret
SECRET = ("/v1/api-keys", "/v1/companions/{companion_id}/webhook-secret")


def may(api: Api, method: str, address: str, described: Any) -> bool:
    """Whether it is let in. What it does there is undone: the next one meets the same world."""
    with transaction.atomic():
        answer = ask(api, method, address, described)
        transaction.set_rollback(True)
    assert answer.status not in (401, 429) and answer.status < 500, answer
    return answer.status != 403


def test_a_key_that_reads_changes_nothing() -> None:
    for route in DECLARED.values():
        reads = route.method == "GET" or route.declared.id in ASKS
        assert (route.scope == "read") == (reads and not route.path.startswith(SECRET)), route


@pytest.mark.parametrize(("method", "path", "described"), [*OWNED, *OPEN])
def test_a_key_may_what_its_scope_includes(
    project: Project, world: World, method: str, path: str, described: Any
) -> None:
    wanted = EXAMPLES.get(described["operationId"], DECLARED[method, path].scope)

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


# All that an agent's session does by its own token: on its own branch, and its own verbs.
OF_SESSIONS = {
    "files_change",
    "files_write",
    "files_delete",
    "file_tools_call",
    "agent_sessions_heartbeat",
    "agent_sessions_finish",
    "agent_tools_call",
}


@pytest.mark.parametrize(("method", "path", "described"), [*OWNED, *OPEN])
def test_a_session_s_token_reads_its_relationship_and_writes_as_its_session_alone(
    relationship: Relationship, world: World, method: str, path: str, described: Any
) -> None:
    route, by = DECLARED[method, path], Actor.policy("test")
    session, token = start_session(relationship=relationship, task="t", worker=Worker.EXTERNAL, by=by)
    own = World({**world.parameters, "agent_session_id": str(session.id)})
    agent = Api(token)

    lets_in = route.open_to_tokens and (route.scope == "read" or route.declared.id in OF_SESSIONS)
    written = (
        route.declared.id in OF_SESSIONS and "{agent_session_id}" not in path
    )  # to main, as no branch is named
    if route.declared.id != "agent_sessions_watch":  # which goes on as long as its session does
        assert may(agent, method, own.address(path), described) == (lets_in and not written)
    if "{agent_session_id}" in path and lets_in:
        assert ask(agent, method, world.address(path), described).status == 404, "another's session"
