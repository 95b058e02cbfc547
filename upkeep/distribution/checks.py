"""Check whether a database can be distributed. Each sentence says what is wrong, and what to do."""

from collections.abc import Iterator, Sequence

from config.postgresql.migrations import pending_migrations
from config.postgresql.sessions import execute
from upkeep.distribution.tables import Table

OLDEST = 13  # Citus' major version
_ROOM = 1.5  # times what a node will store, as copying also writes its log

# Sessions of the service, none of Citus' own. An account without the right to see others' sees only itself.
_SESSIONS = """
SELECT DISTINCT application_name FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'rapport-%%'
 ORDER BY application_name
"""
_NODES = "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE isactive AND shouldhaveshards ORDER BY 1"
# Citus returns each node's answer as one text.
_ON_NODES = """
SELECT nodename || ':' || nodeport, success, result
  FROM run_command_on_all_nodes(%s) JOIN pg_dist_node USING (nodeid)
"""
_VERSIONS = """
SELECT string_agg(name || ' ' || version, ', ' ORDER BY name) FROM (
    SELECT 'PostgreSQL' AS name, split_part(current_setting('server_version'), '.', 1) AS version
    UNION ALL SELECT extname, extversion FROM pg_extension WHERE extname IN ('citus', 'vector')) v
"""


def in_the_way(tables: Sequence[Table]) -> list[str]:
    """What prevents a distribution, apart from a running service; [] if nothing does. Changes nothing."""
    version = execute("SELECT extversion FROM pg_extension WHERE extname = 'citus'")
    if not version:
        return [
            "This database has no Citus. Put citus into shared_preload_libraries of every server, then run "
            "CREATE EXTENSION citus in this database on each, and SELECT citus_add_node(...) here for every worker."
        ]
    if int(version[0][0].split("-")[0].split(".")[0]) < OLDEST:
        return [f"Citus is {version[0][0]} here; {OLDEST} is the oldest that is known to work. Upgrade it."]
    return [*_of_the_nodes(tables), *_of_the_schema()]


def of_the_service() -> Iterator[str]:
    if sessions := [name for (name,) in execute(_SESSIONS)]:
        yield f"The service is connected ({', '.join(sessions)}): stop web and worker, so that no table changes."


def _of_the_nodes(tables: Sequence[Table]) -> Iterator[str]:
    nodes = [node for (node,) in execute(_NODES)]
    if not nodes:
        yield "No node holds shards. SELECT citus_set_coordinator_host(...), then citus_add_node(...) for each worker."
        return
    for node, succeeded, result in execute(_ON_NODES, [_VERSIONS]):
        ours = execute(_VERSIONS)[0][0]
        if not succeeded:
            yield f"{node} does not answer: {result}. Start it, or take it out with citus_remove_node(...)."
        elif result != ours:
            yield f"{node} has {result}, the coordinator {ours}: they must be the same. Upgrade, or CREATE EXTENSION."
    for node, _, prepared in execute(_ON_NODES, ["SHOW max_prepared_transactions"]):
        if prepared == "0":
            yield f"{node} has max_prepared_transactions = 0; set it to max_connections and restart that server."
    copied, spread = (sum(t.bytes for t in tables if t.copied is wanted) for wanted in (True, False))
    needed = round((copied + spread / len(nodes)) * _ROOM)
    for node, succeeded, free in execute(
        _ON_NODES, ["SELECT available_disk_size FROM citus_local_disk_space_stats()"]
    ):
        if succeeded and node in nodes and int(free) < needed:
            yield f"{node} has {int(free) >> 20} MB free but would need {needed >> 20} MB. Give it room, or add nodes."


def _of_the_schema() -> Iterator[str]:
    if pending_migrations():
        yield "Migrations are pending. Run manage.py migrate first."
    if not execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")[0][0]:
        yield "Triggers on shards take a superuser, and this account is none: name one in DATABASE_URL for this."
