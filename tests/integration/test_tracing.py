"""What a process tells of itself, span by span, to a real receiver; tests/acceptance/test_tracing.py has them all at once."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.db.backends.signals import connection_created
from django.utils.module_loading import import_string
from django_q.models import OrmQ
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from behaviours import owed as behaviours
from config import environment, tracing
from config.checks import check_environment
from config.tracing.recorder import described
from connect.events import owed as events
from knowledge import claim as knowledge
from memory.ingestion import replays
from memory.ingestion.pipeline import drain_relationship
from summaries import owed as summaries
from tests.acceptance.processes import ROOT
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer
from tests.vendor_servers.otlp_receiver import OtlpReceiver, children
from web.deadline import deadline, is_over
from worker import worker_stats
from worker.api.metrics import render_metrics
from worker.condition import QueueCondition, TurnCounts, WorkerCondition
from worker.enqueue import enqueue_task
from worker.worker_stats import WorkerStats
from workspace.sessions import claim as sessions

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SECRET = "xylophagous"
TASKS = [
    *("memory.tasks.drain", "memory.tasks.embed", replays.TASK, summaries.TASK),
    *(knowledge.TASK, behaviours.TASK, sessions.TASK, events.TASK),
]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[OtlpReceiver]:
    """Takes the spans of this process, which is traced until the test ends or says `tracing.end()`."""
    with OtlpReceiver() as receiver:
        monkeypatch.setenv(ENDPOINT, receiver.url)
        tracing.begin("test")
        connection_created.send(sender=type(connection), connection=connection)  # it is there already
        yield receiver
        tracing.end()


@pytest.mark.parametrize(
    ("variables", "wanted", "problem"),
    [
        ({}, False, ""),
        ({ENDPOINT: "http://c:4318"}, True, ""),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/v1/traces"}, True, ""),
        ({ENDPOINT: "http://c:4318", "OTEL_SDK_DISABLED": "true"}, False, ""),
        ({ENDPOINT: "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, False, ""),
        ({ENDPOINT: "c:4318"}, False, "is not an address: 'c:4318'."),
        (
            {ENDPOINT: "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            False,
            "is 'grpc', which is not",
        ),
    ],
)
def test_the_standard_variables_turn_it_on(
    variables: dict[str, str], wanted: bool, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "PROBLEMS", [])
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert tracing.wanted() is wanted
    assert [problem in error.msg for error in check_environment()] == ([True] if problem else [])


# A process in which a finder refuses what requirements-tracing.txt installs.
WITHOUT_PACKAGES = """
import sys
class Refuse:
    def find_spec(self, name, *_):
        if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter")): raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Refuse())
sys.argv = ["manage.py", *sys.argv[1:]]
import runpy
runpy.run_path("manage.py", run_name="__main__")
"""
OFF = """
import sys
import django
from config import tracing
django.setup()
tracing.begin("web")
import config.wsgi
print([name for name in sys.modules if name.startswith(("opentelemetry.sdk", "opentelemetry.instr", "wrapt"))])
"""


def python(code: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, ENDPOINT: "", "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)


def test_without_the_packages_nothing_starts_and_the_command_that_installs_them_is_named() -> None:
    ended = python(WITHOUT_PACKAGES, "web", **{ENDPOINT: "http://127.0.0.1:4318"})

    assert ended.returncode != 0
    assert "pip install -r requirements-tracing.txt" in ended.stderr


def test_off_it_imports_nothing() -> None:
    assert python(OFF).stdout.splitlines()[-1] == "[]"


@pytest.mark.django_db
def test_turns_of_several_requests_that_are_read_together_are_found_in_the_trace_of_each(
    receiver: OtlpReceiver, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    for number in range(3):
        with tracing.received("request", [None], since=None):
            conversation.say(f"I own the boat {number}.")
    scripted_provider.answer_with(answer(add("Owns a boat")))

    assert conversation.drain().applied == 3
    tracing.end()

    requests = [span for span in receiver.spans if span.name == "request"]
    first, *others = [receiver.wait_for("read turns", trace=request.trace) for request in requests]
    assert [read.parent for read in (first, *others)] == [request.id for request in requests]
    assert first.links == tuple((request.trace, request.id) for request in requests[1:])
    assert [other.links for other in others] == [((first.trace, first.id),)] * 2
    assert {read.attributes["rapport.outcome"] for read in (first, *others)} == {"applied"}
    assert "wait for a worker" in children(receiver.trace(requests[2].trace), requests[2])
    assert "apply operations" in children(receiver.trace(first.trace), first)


@pytest.mark.django_db
def test_every_task_is_a_span_of_whoever_enqueued_it_and_of_nobody_where_the_sweep_did(
    receiver: OtlpReceiver, conversation: Conversation
) -> None:
    relationship = conversation.relationship
    for wrapped in (tracing.received("request", [None], since=None), nullcontext()):
        with wrapped:
            for path in TASKS:
                ids = [relationship.id] * (2 if path.endswith("replay") else 1)
                enqueue_task(path, *ids, project_id=relationship.project_id)
    for queued in OrmQ.objects.order_by("id"):
        task = queued.task
        import_string(task["func"])(*task["args"], **task["kwargs"])
    tracing.end()

    (request,) = [span for span in receiver.spans if span.name == "request"]
    assert set(TASKS) <= set(children(receiver.trace(request.trace), request))
    alone = [span for span in receiver.spans if span.name in TASKS and not span.parent]
    assert sorted(span.name for span in alone) == sorted(TASKS)
    assert alone[0].attributes["rapport.ids"][0] == str(relationship.id)


@pytest.mark.django_db
def test_a_turn_goes_on_with_the_decision_not_to_send_its_trace(
    receiver: OtlpReceiver, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    with tracing.received("request", [f"00-{uuid4().hex}-00f067aa0ba902b7-00"], since=None):
        turn = conversation.say("I own a boat.")
    scripted_provider.answer_with(answer())

    conversation.drain()
    tracing.end()

    assert turn.traceparent and turn.traceparent.endswith("-00")
    assert tracing.trace_id(turn.traceparent) == ""
    assert receiver.spans == []


@pytest.mark.django_db
def test_statements_are_told_without_values_and_errors_without_their_texts(
    receiver: OtlpReceiver, conversation: Conversation
) -> None:
    scratch = "CREATE TEMPORARY TABLE scratch (word text UNIQUE) ON COMMIT DROP"
    with (
        pytest.raises(IntegrityError, match=SECRET),
        tracing.received("work", [None], since=None, attributes={"secret": SECRET}),
        connection.cursor() as cursor,
    ):
        cursor.execute(scratch)
        cursor.execute("INSERT INTO scratch SELECT %s FROM generate_series(1, 1)", [SECRET])
        cursor.execute(f"INSERT INTO scratch SELECT '{SECRET}' || 's'' ' FROM scratch")
        cursor.execute("INSERT INTO scratch VALUES (%s)", [SECRET])
    tracing.end()

    spans = receiver.spans
    assert [span.name for span in spans[1:]] == ["CREATE", *["INSERT scratch"] * 3]
    assert spans[3].attributes["db.query.text"] == "INSERT INTO scratch SELECT ? || ? FROM scratch"
    assert [span.attributes.get("error.type") for span in spans] == [
        "IntegrityError",
        None,
        None,
        None,
        "IntegrityError",
    ]
    assert spans[2].attributes["db.response.returned_rows"] == 1
    assert SECRET.encode() not in b"".join(receiver.bodies)


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ('SELECT "a"."id"\n  FROM "relationships_turn" a', "SELECT relationships_turn"),
        ("WITH taken AS (UPDATE relationships_turn SET x = 1) SELECT 1", "UPDATE relationships_turn"),
        (
            "SELECT 1 FROM unnest(%s) id JOIN x ON true UNION SELECT 1 FROM memory_replay",
            "SELECT memory_replay",
        ),
        ("SAVEPOINT one", "SAVEPOINT"),
        ("", "STATEMENT"),
    ],
)
def test_a_statement_is_named_by_what_it_does_first(statement: str, name: str) -> None:
    assert described(statement)[0] == name


def test_another_thread_goes_on_with_the_span_and_with_nothing_else(receiver: OtlpReceiver) -> None:
    with ThreadPoolExecutor() as threads, tracing.received("request", [None], since=None), deadline(-1):
        here = tracing.traceparent()
        there = tracing.carried(lambda: (tracing.traceparent(), is_over()), wait="wait")
        assert threads.submit(there).result() == (here, False)

    tracing.end()
    assert [span.name for span in receiver.spans] == ["request", "wait"]


def test_nothing_begins_a_trace_but_a_request_or_what_is_owed(receiver: OtlpReceiver) -> None:
    with tracing.span("alone"), tracing.calling("alone"):
        tracing.past("alone", time.time() - 1)
    tracing.end()

    assert receiver.bodies == []


def test_a_receiver_that_is_away_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    tracing.begin("test")
    with tracing.received("request", [None], since=None):
        began = time.monotonic()
    tracing.end()

    assert time.monotonic() - began < 3


@pytest.mark.django_db
def test_metrics_lead_from_the_time_of_a_turn_to_its_trace(
    receiver: OtlpReceiver, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer())
    with tracing.received("request", [None], since=None):
        turn = conversation.say("I own a boat.")
    stats = WorkerStats()
    worker_stats.use(stats)
    stats.take_slot()
    try:
        drain_relationship(relationship_id=conversation.relationship.id, worker="test")
    finally:
        worker_stats.use(None)
    condition = QueueCondition(
        TurnCounts(0, 0, 0, 0, 0, 0), 0, (WorkerCondition("one:1:1", 0.5, 0, stats.totals()),)
    )
    read = text_string_to_metric_families(render_metrics(condition, openmetrics=True).decode())  # type: ignore[no-untyped-call]
    samples = {family.name: family.samples for family in read}["rapport_turn_seconds"]
    stats.close()

    assert [sample.value for sample in samples if sample.name.endswith("_count")] == [1]
    (exemplar,) = [sample.exemplar for sample in samples if sample.exemplar]
    assert exemplar.labels == {"trace_id": tracing.trace_id(turn.traceparent)}
    assert 0 < exemplar.value < 10
