"""The API's reference is in step with its views: the page, the schema beside it, and what may be counted on."""

import json

from tests.guards.routes import routes
from tests.guards.tables import REFERENCE
from web.docs import schema_document


def test_every_call_is_described_and_no_other() -> None:
    lines = (REFERENCE / "rest.md").read_text().splitlines()
    described = [line for line in lines if line.startswith("| `") and "/v1/" in line and line.count("|") == 6]
    expected = [route.row for route in routes()]
    missing, stale = sorted(set(expected) - set(described)), sorted(set(described) - set(expected))
    assert not missing, "rest.md lacks these lines:\n" + "\n".join(missing)
    assert not stale, "rest.md has lines that are not so:\n" + "\n".join(stale)


def test_the_schema_that_is_kept_is_the_one_that_is_served() -> None:
    kept = json.loads((REFERENCE / "openapi.json").read_text())
    assert kept == json.loads(schema_document()), "Run make openapi and commit what it wrote."


def test_an_operation_has_one_name() -> None:
    names = [route.declared.id for route in routes()]
    assert sorted(names) == sorted(set(names))
