"""How far the renewal of the index is, for /metrics. Registered in METRICS of config/registries.py."""

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily, Metric

from memory.retrieval.index.wording import renewed_share


def index_metrics() -> Iterable[Metric]:
    """Raises django.db.Error."""
    told = "Share of the relationships whose texts are indexed by this version's words, from 0 to 1."
    return [GaugeMetricFamily("rapport_index_words_renewed", told, value=renewed_share())]
