"""Whose events did not arrive at a webhook, for /metrics. Registered in METRICS of config/registries.py."""

from collections.abc import Iterable

from prometheus_client.core import Metric

from connect.models import DeliveryState, EventDelivery
from worker.api.metrics import queued_metric


def delivery_metrics() -> Iterable[Metric]:
    """Read them from the database. Raises django.db.Error."""
    told = (
        "Relationships whose events are not all delivered: due, retrying, or failed, which ends with a replay"
    )
    failed = f"state = '{DeliveryState.FAILED}'"
    return [queued_metric("rapport_event_deliveries", told, EventDelivery, failed=failed)]
