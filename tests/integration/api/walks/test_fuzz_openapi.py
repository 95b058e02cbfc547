"""Whatever the OpenAPI schema lets one send, and what it does not: never a crash, and only answers it describes.

Each operation is a test, and every request meets the same world of this file: what it does is rolled back.
A drill asks half as many again, and all that follows from the schema; RAPPORT_FUZZ=long asks many more requests, and
other ones every time.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
import schemathesis
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.meta import TestPhase
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from memory.entries.history import fields_of
from memory.ingestion.pipeline import drain_relationship
from memory.models import EntryRevision, HeldDeletion, ScratchpadEntry
from relationships.models import Relationship, Snapshot, Turn
from tests.acceptance.drills.talk import scaled
from tests.integration.api.world import World
from tests.integration.sense import make_sense
from web.docs import schema_document

pytestmark = pytest.mark.drill
LONG = os.environ.get("RAPPORT_FUZZ") == "long"
REQUESTS, SEQUENCES = (300, 1000) if LONG else (scaled(8, 12), 25)
EVERY_CASE = LONG or scaled(False, True)  # of those that follow from the schema
# What no route takes, asked of each: all of them only in the long form, as one view refuses them all.
METHODS = (
    {"DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"} if EVERY_CASE else {"PUT", "TRACE"}
)
CONFIG = {
    "generation": {
        "max-examples": REQUESTS,
        "deterministic": not LONG,
        "database": "none",
        "with-security-parameters": False,
    },
    "analysis": {"constants": {"enabled": False}},
    "phases": {
        "coverage": {"unexpected-methods": sorted(METHODS)},
        "fuzzing": {"extra-data-sources": {"responses": False}, "error-feedback": {"enabled": False}},
        "stateful": {"enabled": False},
    },
    "operations": [
        # an archive and a reply's request have a thousand corners; what is in them has tests of its own
        {"include-path-regex": "/(import|completions|responses)$", "phases": {"coverage": {"enabled": LONG}}}
    ],
    "suppress-health-check": ["all"],
    **({} if LONG else {"seed": 1}),
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
    negative_data_rejection,
    unsupported_method,
]
# In a form all is text: what breaks the schema of a part there is a text like any other.
CHECKS_OF_FORMS = [check for check in CHECKS if check is not negative_data_rejection]


def checks_of(case: Case[Any]) -> list[Any]:
    return CHECKS_OF_FORMS if case.path.endswith("/documents") else CHECKS


# Read, not made: each process that runs tests collects them all.
PATHS = json.loads(Path(settings.BASE_DIR, "docs/reference/openapi.json").read_text())["paths"]
LABELS = [f"{method.upper()} {path}" for path, methods in PATHS.items() for method in methods]


@pytest.fixture(scope="module")
def schema() -> Any:
    made = schemathesis.openapi.from_dict(
        json.loads(schema_document()),
        config=SchemathesisConfig.from_dict(CONFIG),
    )
    made.app = get_wsgi_application()
    return made


@pytest.fixture(scope="module")
def operations(schema: Any) -> dict[str, Any]:
    found = [cast(Any, one).ok() for one in schema.get_all_operations()]
    return {operation.label: operation for operation in found}


@pytest.fixture(autouse=True, scope="module")
def one_connection() -> Iterator[None]:
    """A request would close the connection that holds the test's transaction, as Django's own test client knows."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def test_each_operation_is_asked(operations: dict[str, Any]) -> None:
    assert sorted(operations) == sorted(LABELS), "run 'make openapi'"


@pytest.mark.parametrize("label", LABELS)
def test_no_request_breaks_the_service(
    label: str, schema: Any, operations: dict[str, Any], world: World, api_key: str
) -> None:
    def ask(case: Case[Any]) -> None:
        if not EVERY_CASE and only_its_path_is_wrong(case):
            return
        make_sense(case, world)
        with transaction.atomic():
            response = case.call(headers={"Authorization": f"Bearer {api_key}"})
            transaction.set_rollback(True)
        case.validate_response(response, checks=checks_of(case))

    # Not by `schema.parametrize`, which thinks of every request while tests are collected.
    build_operation_test(
        config=schema.config,
        operation=operations[label],
        test_func=ask,
        given_kwargs={},
        feedback=FeedbackSources(),
    )()


def only_its_path_is_wrong(case: Case[Any]) -> bool:
    """One of the five kinds of no ID that every route is asked for: the same converter reads them all, and the requests
    that are drawn have some, too.
    """
    phase = case.meta.phase if case.meta else None
    where = getattr(phase.data, "parameter_location", None) if phase else None
    return phase is not None and phase.name == TestPhase.COVERAGE and where == ParameterLocation.PATH


@effort(
    max_examples=SEQUENCES,
    derandomize=not LONG,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_no_sequence_of_requests_breaks_the_service(
    data: st.DataObject, operations: dict[str, Any], world: World, api_key: str
) -> None:
    """Each request meets what those before it made of the world, and the worker reads in between."""
    every = list(operations.values())
    # What happens inside one relationship is drawn more often: there one request meets what another has done.
    often = [one for one in every if "{relationship_id}/" in one.path and one.method != "get"]
    steps = data.draw(st.lists(st.sampled_from(every) | st.sampled_from(often), min_size=3, max_size=10))
    with transaction.atomic():
        for operation in steps:
            case = data.draw(operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
            make_sense(case, world_now(world, data))
            response = case.call(headers={"Authorization": f"Bearer {api_key}"})
            case.validate_response(response, checks=checks_of(case))
            for relationship in Relationship.objects.all():
                drain_relationship(relationship_id=relationship.id, worker="test")
                holds_together(relationship)
        transaction.set_rollback(True)


def world_now(world: World, data: st.DataObject) -> World:
    """The world with any of the entries and turns that are there by now."""
    relationship_id = UUID(world.parameters["relationship_id"])
    found = {
        "entry_id": ScratchpadEntry.objects.for_relationship(relationship_id),
        "turn_id": Turn.objects.for_relationship(relationship_id),
        "held_id": HeldDeletion.objects.for_relationship(relationship_id),
    }
    ids = {name: list(rows.order_by("id").values_list("id", flat=True)) for name, rows in found.items()}
    drawn = {name: str(data.draw(st.sampled_from(there))) for name, there in ids.items() if there}
    return World({**world.parameters, **drawn})


def holds_together(relationship: Relationship) -> None:
    """What must be so whatever was asked: the reader tripped over nothing, the snapshot shows the active entries, and
    the history of each entry ends with what it is.
    """
    entries = ScratchpadEntry.objects.for_relationship(relationship.id)
    snapshot = Snapshot.objects.filter(relationship_id=relationship.id).first()
    shown = {line[0] for line in snapshot.scratchpad} if snapshot else set()
    active = entries.active().in_scratchpad()
    over = {str(entry.id) for entry in active if is_over(entry)}
    assert shown | over == {str(entry.id) for entry in active}
    for entry in entries:
        revisions = EntryRevision.objects.for_relationship(relationship.id).filter(entry_id=entry.id)
        assert revisions.latest("seq").after == fields_of(entry)
    tripped = Turn.objects.for_relationship(relationship.id).filter(error_code="internal_error")
    assert list(tripped.values_list("error", flat=True)) == []


def is_over(entry: ScratchpadEntry) -> bool:
    return any(end is not None and end <= timezone.now() for end in (entry.valid_to, entry.expires_at))
