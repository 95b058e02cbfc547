"""Forms of SQL that PostgreSQL takes and a distributed database does not, or takes and does something else."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from config.postgresql.citus import REFERENCE_TABLES, ROOT_TABLE
from tests.guards.sources import CODE, named, python_files, tree_of
from upkeep.erasure.relationships import owned_models

_CALL = r"\((?:[^()]|\([^()]*\))*\)"
# What it finds, what to write instead, and who may: there it is of a table that only the coordinator has, or is meant.
FORMS: dict[str, tuple[str, str, set[str]]] = {
    "an empty select list": (
        r"(?i)\bSELECT\s+FROM\b",
        "write SELECT 1 FROM",
        {"config/embedded_postgres/server.py"},
    ),
    "a volatile function in DO UPDATE": (
        r"(?is)\bDO UPDATE\b.*\b(?:now|clock_timestamp|random|gen_random_uuid)\(\)",
        "give the value to the row and write EXCLUDED.column",
        set(),
    ),
    "a list of IDs that a query starts from": (
        rf"(?is)\bFROM\s+unnest{_CALL}(?:\s+AS)?\s+\w+\s*\([^)]*\)(?:,\s*LATERAL\b|\s+LEFT JOIN\b|\s+WHERE\s+(?:NOT\s+)?EXISTS\b)",
        f"start from {ROOT_TABLE}, and join the list to it",
        {"knowledge/chunks.py", "memory/ingestion/apply_state.py"},
    ),
    "a query in HAVING about the outer one": (
        r"(?is)\bHAVING\b(?:[^()]|\([^()]*\))*?\(\s*SELECT\b",
        "join what it asks about, and compare two counts",
        set(),
    ),
    "a setting that other nodes do not hear of": (
        r"(?i)\bset_config\s*\([^)]*,\s*true\)",
        "use the statement SET LOCAL",
        {"worker/fairness.py", "memory/ingestion/claim.py"},
    ),
    "a row of columns IN a query": (
        r"(?i)\)\s*IN\s*\(\s*SELECT\b",
        "write EXISTS: an UPDATE in which a function has to be evaluated is refused",
        {"memory/retrieval/decayed_vectors.py", "memory/retrieval/index/vectors.py"},
    ),
    "an INSERT beside the query that asks": (
        r"(?is)\bWITH\b.*\bAS\s*(?:MATERIALIZED\s*)?\(\s*(?:INSERT INTO\b|\{\}\)).*\)\s*SELECT\b",
        "ask first, in a statement of its own: there the INSERT runs before the query, which sees its rows",
        # Whose question leaves out what they write.
        {
            "worker/fairness.py",
            "workspace/store.py",
            "memory/ingestion/settle.py",
        },
    ),
}
EVERYWHERE = {
    "an empty select list",
    "a setting that other nodes do not hear of",
    "a row of columns IN a query",
}
# A statement about these is about rows of other nodes.
_TABLES = re.compile(
    rf"\b(?:{'|'.join([*REFERENCE_TABLES, ROOT_TABLE, *(m._meta.db_table for m in owned_models())])})\b"
)


@cache
def statements(path: Path) -> list[tuple[int, str]]:
    """Every text of this file that is not part of another, with its line; what is put into it reads as {}."""
    inner = {
        id(part)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.JoinedStr) and id(node) not in inner:
            texts = [str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values]
            found.append((node.lineno, "".join(texts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            found.append((node.lineno, node.value))
    return found


def wrong(form: str, statement: str) -> bool:
    return re.search(FORMS[form][0], statement) is not None


@pytest.mark.parametrize("form", FORMS)
def test_no_statement_has_a_form_that_a_distributed_database_refuses(form: str) -> None:
    _, instead, allowed = FORMS[form]
    found = [
        f"{named(path)}:{line}"
        for path in python_files(*CODE)
        if named(path) not in allowed and "migrations" not in path.parts
        for line, statement in statements(path)
        if wrong(form, statement) and (form in EVERYWHERE or _TABLES.search(statement))
    ]
    assert not found, f"{form}: {instead}. {found}"


@pytest.mark.parametrize(
    ("form", "statement", "right"),
    [
        ("an empty select list", "SELECT EXISTS (SELECT FROM relationships_turn)", "SELECT 1 FROM relationships_turn"),
        (
            "a volatile function in DO UPDATE",
            "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = now()",
            "INSERT INTO t VALUES (now()) ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b",
        ),
        (
            "a list of IDs that a query starts from",
            "SELECT w.id FROM unnest(%(ids)s::uuid[]) AS w (id), LATERAL (SELECT 1 FROM t WHERE o = w.id LIMIT 1) x",
            "SELECT r.id FROM t r JOIN unnest(%(ids)s::uuid[]) AS w (id) ON w.id = r.id",
        ),
        (
            "a query in HAVING about the outer one",
            "SELECT 1 FROM t GROUP BY t.a HAVING count(*) > (SELECT count(*) FROM o WHERE o.a = t.a)",
            "SELECT 1 FROM t LEFT JOIN o USING (a) GROUP BY t.a HAVING count(*) > count(o.id)",
        ),
        (
            "a setting that other nodes do not hear of",
            "SELECT set_config('lock_timeout', %s, true)",
            "SET LOCAL lock_timeout = '1s'",
        ),
        (
            "a row of columns IN a query",
            "UPDATE t SET a = now() WHERE (b, c) IN (SELECT b, c FROM f)",
            "UPDATE t SET a = now() WHERE EXISTS (SELECT 1 FROM f WHERE f.b = t.b AND f.c = t.c)",
        ),
        (
            "an INSERT beside the query that asks",
            "WITH w AS (INSERT INTO t VALUES (1) RETURNING 1) SELECT EXISTS (SELECT 1 FROM t)",
            "INSERT INTO t VALUES (1) RETURNING 1",
        ),
    ],
    ids=lambda value: value[:30],
)  # fmt: skip
def test_each_form_is_known_by_its_pattern(form: str, statement: str, right: str) -> None:
    assert wrong(form, statement) and not wrong(form, right)
