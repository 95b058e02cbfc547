"""docs/reference/queue.md names every state of a turn and every metric, and alerts.yml no other metrics."""

import re

import pytest
import yaml
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

import chat.answering
import context.waiting
from memory.retrieval.index.metrics import index_metrics
from relationships.models import TurnState
from relationships.services.spending_metrics import metrics_of
from tests.guards.tables import REFERENCE, named_in
from web import consistency, error_counter
from web.meters import process_metrics
from worker.api.metrics import other_work_metrics, ready_metric, render_metrics, unread_metric
from worker.condition import QueueCondition, TurnCounts, WorkerCondition

COUNTED_BY = (chat.answering, context.waiting, error_counter)
NONE_AT_ALL = TurnCounts(due=0, retrying=0, untriggered=0, processing=0, failed=0, stored=0)
WORKER = WorkerCondition("host/boot:1:2", 0.5, 0)


def test_every_state_of_a_turn_is_described_and_no_other() -> None:
    assert set(named_in("queue.md", under="## States of a turn")) == set(TurnState.values)


@pytest.mark.django_db
def test_every_metric_is_described_and_no_other() -> None:
    metrics = {family.name for family in families()}
    assert set(named_in("queue.md", under="## Metrics")) == metrics


@pytest.mark.django_db
def test_every_alert_is_about_metrics_that_there_are_and_is_explained() -> None:
    rules = yaml.safe_load((REFERENCE / "alerts.yml").read_text())["groups"][0]["rules"]
    there = {family.name + "_total" * (family.type == "counter") for family in families()}
    named = {name for rule in rules for name in re.findall(r"rapport_\w+", rule["expr"])}
    assert named and named <= there
    explained = (REFERENCE.parent / "how-to" / "run-in-production.md").read_text()
    assert [rule["alert"] for rule in rules] == re.findall(r"^\| `(Rapport\w+)`", explained, re.MULTILINE)


def families() -> list[Metric]:
    """Those of /metrics, each at least by its name."""
    others = [*metrics_of([]), *other_work_metrics(), *process_metrics(), ready_metric(True)]
    others += [*index_metrics(), *consistency.metrics_of(True, 0.0), unread_metric({})]
    written = render_metrics(QueueCondition(NONE_AT_ALL, 0, (WORKER,)), others).decode()
    return list(text_string_to_metric_families(written))
