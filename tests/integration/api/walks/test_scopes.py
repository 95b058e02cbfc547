"""A key or a person's token may do just what a view declares, which docs/reference/rest.md repeats: no more, no less."""

from django.db import transaction

from relationships.models import Project, Relationship
from tests.fixtures.api import Api
from tests.guards.routes import routes as declared_routes
from tests.integration.api.walks.conftest import used_key
from tests.integration.api.walks.test_isolation import OPEN, OWNED, Route, ask, walk
from tests.integration.api.world import World
from web.actor import Actor
from web.authentication import INCLUDED
from workspace.models import Worker
from workspace.sessions.commands import start_session

DECLARED = {(route.method, route.path): route for route in declared_routes()}


# They send a question, which is too long for an address.
ASKS = {"context_build", "entries_search", "messages_search", "documents_search", "behaviours_dry_run"}
EXAMPLES = {"agent_tools_write": "admin"}  # what an operation's example needs, as this one sends a secret
SECRET = ("/v1/api-keys", "/v1/companions/{companion_id}/webhook-secret")


def may(api: Api, address: str, route: Route) -> bool:
    """Whether it is let in. What it does there is undone: the next one meets the same world."""
    with transaction.atomic():
        answer = ask(api, address, route)
        transaction.set_rollback(True)
    assert answer.status not in (401, 429) and answer.status < 500, answer
    return answer.status != 403


def test_a_key_that_reads_changes_nothing() -> None:
    for route in DECLARED.values():
        reads = route.method == "GET" or route.declared.id in ASKS
        assert (route.scope == "read") == (reads and not route.path.startswith(SECRET)), route


def test_a_key_may_what_its_scope_includes(project: Project, world: World) -> None:
    keys = {scope: Api(used_key(project, scope)) for scope in ("read", "write", "admin")}

    def hold(route: Route) -> None:
        wanted = EXAMPLES.get(route.id, DECLARED[route.method, route.path].scope)
        for scope, key in keys.items():
            assert may(key, world.address(route.path), route) == (wanted in INCLUDED[scope]), scope

    walk([*OWNED, *OPEN], hold)


def test_a_token_may_what_is_open_to_tokens_within_its_scope(
    api: Api, relationship: Relationship, world: World
) -> None:
    tokens = f"/relationships/{relationship.id}/tokens"
    made = {scope: Api(api.post(tokens, {"scopes": [scope]}).body["token"]) for scope in ("read", "write")}

    def hold(route: Route) -> None:
        declared = DECLARED[route.method, route.path]
        for scope, token in made.items():
            lets_in = declared.open_to_tokens and declared.scope in INCLUDED[scope]
            assert may(token, world.address(route.path), route) == lets_in, scope

    walk([*OWNED, *OPEN], hold)


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


def test_a_session_s_token_reads_its_relationship_and_writes_as_its_session_alone(
    relationship: Relationship, world: World
) -> None:
    by = Actor.policy("test")
    session, token = start_session(relationship=relationship, task="t", worker=Worker.EXTERNAL, by=by)
    own = World({**world.parameters, "agent_session_id": str(session.id)})
    agent = Api(token)

    def hold(route: Route) -> None:
        declared = DECLARED[route.method, route.path]
        lets_in = declared.open_to_tokens and (declared.scope == "read" or route.id in OF_SESSIONS)
        # to main, as no branch is named
        written = route.id in OF_SESSIONS and "{agent_session_id}" not in route.path
        if route.id != "agent_sessions_watch":  # which goes on as long as its session does
            assert may(agent, own.address(route.path), route) == (lets_in and not written)
        if "{agent_session_id}" in route.path and lets_in:
            assert ask(agent, world.address(route.path), route).status == 404, "another's session"

    walk([*OWNED, *OPEN], hold)
