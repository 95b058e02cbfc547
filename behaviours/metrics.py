"""What behaviours owe and what they gave up, for /metrics. Registered in METRICS of config/registries.py."""

from collections.abc import Iterable

from prometheus_client.core import Metric

from behaviours.models import BehaviourRun
from worker.api.metrics import queued_metric


def run_metrics() -> Iterable[Metric]:
    """Read them from the database. Raises django.db.Error."""
    told = "Runs of behaviours after a turn: due, retrying, or failed within a day"
    failed = "state = 'failed' AND settled_at > now() - interval '1 day'"
    return [queued_metric("rapport_behaviour_runs", told, BehaviourRun, kind="action", failed=failed)]
