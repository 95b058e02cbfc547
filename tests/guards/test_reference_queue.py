"""docs/reference/queue.md names every state of a turn and every metric."""

from prometheus_client.parser import text_string_to_metric_families

import chat.meters
import context.waiting
from relationships.models import TurnState
from relationships.services.spending_metrics import metrics_of
from tests.guards.tables import named_in
from web import consistency
from web.meters import process_metrics
from worker.api.metrics import render_metrics, unread_metric
from worker.condition import QueueCondition, TurnCounts, WorkerCondition

COUNTED_BY = (chat.meters, context.waiting)
NONE_AT_ALL = TurnCounts(due=0, retrying=0, untriggered=0, processing=0, failed=0, stored=0)
WORKER = WorkerCondition("host/boot:1:2", 0.5, 0)


def test_every_state_of_a_turn_is_described_and_no_other() -> None:
    assert set(named_in("queue.md", under="## States of a turn")) == set(TurnState.values)


def test_every_metric_is_described_and_no_other() -> None:
    others = [*metrics_of([]), *process_metrics(), *consistency.metrics_of(True, 0.0), unread_metric({})]
    written = render_metrics(QueueCondition(NONE_AT_ALL, 0, (WORKER,)), others).decode()
    metrics = {family.name for family in text_string_to_metric_families(written)}
    assert set(named_in("queue.md", under="## Metrics")) == metrics
