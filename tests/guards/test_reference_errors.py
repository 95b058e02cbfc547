"""docs/reference/errors.md names every code that an answer or a turn can carry, and no other."""

import ast
import re
from collections.abc import Iterator
from http import HTTPStatus

from rest_framework import exceptions as drf

# imported so that their errors are there to be found
import worker.api.urls  # noqa: F401
from demo import errors as demo_errors
from knowledge.errors import REASONS
from memory.errors import IngestionError
from providers.errors import AnswerUnusable, ProviderError
from tests.guards.sources import DOMAIN, calls, named, python_files, text_of, tree_of
from tests.guards.tables import named_in
from web.errors import BudgetSpent, RapportError
from web.problems import PLAIN, SQLSTATES, STATUSES
from worker.models import WORKER_DIED

# Raised by REST framework itself, before our own code is asked.
OF_THE_FRAMEWORK = {
    drf.NotAuthenticated.default_code,
    drf.AuthenticationFailed.default_code,
    "method_not_allowed",
    "unsupported_media_type",
}
# Of the web server, which answers before there is a view.
OF_THE_WEB_SERVER = {"too_many_at_once", "too_slow"}
# Of commands, which no request can meet.
OF_COMMANDS = {demo_errors}
# Only inside the worker: each leads to another try, not to a turn's error.
PASSING = {
    "ingestion_error",
    "stale_answer",
    "erased_meanwhile",
    "lease_lost",
    "provider_error",
    AnswerUnusable.code,
}


def family(error: type[Exception]) -> Iterator[type[Exception]]:
    """The error and all below it, but for those that tests invent."""
    yield error
    for child in error.__subclasses__():
        if not child.__module__.startswith("tests."):
            yield from family(child)


def problem_codes() -> set[str]:
    modules = {module.__name__ for module in OF_COMMANDS}
    ours = {error.code for error in family(RapportError) if error.__module__ not in modules}  # type: ignore[attr-defined]
    written = {
        code
        for path in python_files(*DOMAIN)
        for name, call in calls(tree_of(path))
        if name.endswith("problem") and len(call.args) > 1 and (code := text_of(call.args[1]))
    }
    return (
        ours
        | written
        | {code for code, _ in PLAIN.values()}
        | {code for _, code, _ in SQLSTATES.values()}
        | OF_THE_FRAMEWORK
        | OF_THE_WEB_SERVER
    )


def test_every_problem_is_described_and_no_other() -> None:
    assert set(named_in("errors.md", under="## Problems")) == problem_codes()


def test_the_statuses_are_those_of_the_code() -> None:
    described = named_in("errors.md", under="## Problems")
    wrong = []
    for error in family(RapportError):
        status = next((STATUSES[kind] for kind in error.__mro__ if kind in STATUSES), None)
        row = described.get(error.code)  # type: ignore[attr-defined]
        if row and status and str(status) not in re.findall(r"\d{3}", row[1]):
            wrong.append(f"{row[0]}: {row[1]}, the code has {HTTPStatus(status).value}")
    assert not wrong


def test_every_reason_of_a_document_is_described_and_no_other() -> None:
    described = named_in("errors.md", under="## Why a document failed")
    assert {code: row[1] for code, row in described.items()} == REASONS


def test_every_reason_of_a_turn_is_described_and_no_other() -> None:
    of_providers = {error.code for error in family(ProviderError)}  # type: ignore[attr-defined]
    of_reading = {error.code for error in family(IngestionError)}  # type: ignore[attr-defined]
    of_intake = {
        code
        for path in python_files("memory/ingestion")
        for name, call in calls(tree_of(path))
        if name == "_skipped" and (code := text_of(call.args[0]))
    }
    others = {"internal_error", "invalid_template", WORKER_DIED, BudgetSpent.code}
    expected = (of_providers | of_reading | of_intake | others) - PASSING
    assert set(named_in("errors.md", under="## Why a turn waits, was skipped or failed")) == expected


def test_every_pattern_of_a_field_has_a_sentence_for_what_does_not_match() -> None:
    """An error that answers with a regular expression does not say the way out."""
    bare = [
        f"{named(path)}:{node.lineno}"
        for path in python_files()
        if path.name != "field_problems.py" and not {"tests", "clients", "migrations"} & set(path.parts)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("Field", "StringConstraints", "constr")
        and any(keyword.arg == "pattern" for keyword in node.keywords)
    ]
    assert not bare, f"Use web.field_problems.matching: {bare}"
