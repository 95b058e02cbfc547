"""What projects spent on language models today, for /metrics. Registered in METRICS of config/registries.py."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from prometheus_client.core import GaugeMetricFamily, Metric

from relationships.services.model_budgets import Spent, read_spending
from worker.api.metrics import NAMED, project_label


def spending_metrics() -> Iterable[Metric]:
    """Read today's spending from the database. Raises django.db.Error."""
    return list(metrics_of(read_spending()))


def metrics_of(spending: Sequence[Spent]) -> Iterator[Metric]:
    """The metrics by project ID for the projects that spent most; the rest are summed as `other`."""
    tokens = GaugeMetricFamily(
        "rapport_project_tokens_today",
        "Tokens of a project's model calls since 00:00 UTC.",
        labels=["project"],
    )
    cost = GaugeMetricFamily(
        "rapport_project_usd_today", "What they cost, where the price is known.", labels=["project"]
    )
    named = {row.project_id for row in spending[:NAMED]}
    of_label: dict[str, tuple[int, Decimal]] = {}
    for row in spending:
        label = project_label(row.project_id, named)
        known = of_label.get(label, (0, Decimal(0)))
        of_label[label] = (known[0] + row.tokens, known[1] + row.cost)
    for label, (count, amount) in of_label.items():
        tokens.add_metric([label], count)
        cost.add_metric([label], float(amount))
    yield from (tokens, cost)
