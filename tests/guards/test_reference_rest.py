"""The API's reference is in step with its views: the page, the schema beside it, and what may be counted on."""

import json
from io import StringIO

from django.core.management import call_command

from tests.guards.routes import routes
from tests.guards.tables import REFERENCE


def test_every_call_is_described_and_no_other() -> None:
    lines = (REFERENCE / "rest.md").read_text().splitlines()
    described = [line for line in lines if line.startswith("| `") and "/v1/" in line and line.count("|") == 5]
    expected = [route.row for route in routes()]
    missing, stale = sorted(set(expected) - set(described)), sorted(set(described) - set(expected))
    assert not missing, "rest.md lacks these lines:\n" + "\n".join(missing)
    assert not stale, "rest.md has lines that are not so:\n" + "\n".join(stale)


def test_the_schema_that_is_kept_is_the_one_that_is_served() -> None:
    written = StringIO()
    call_command("spectacular", format="openapi-json", stdout=written)
    kept = json.loads((REFERENCE / "openapi.json").read_text())
    assert kept == json.loads(written.getvalue()), "Run make openapi and commit what it wrote."


def test_an_operation_has_one_name() -> None:
    names = [route.declared.id for route in routes()]
    assert sorted(names) == sorted(set(names))


def test_what_changes_something_needs_more_than_reading() -> None:
    # questions that are too long for an address
    assembling = {"context_build", "entries_search", "messages_search", "documents_search"}
    open_handed = [
        route.declared.id
        for route in routes()
        if route.method != "GET" and route.scope == "read" and route.declared.id not in assembling
    ]
    assert not open_handed
