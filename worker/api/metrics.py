"""/metrics: what the database knows about the queue, in the text format that is asked for, Prometheus' or OpenMetrics.

Every figure comes from the database, so it does not matter which process is asked, nor how many there are. Other rooms
add metrics by the functions in METRICS of config/registries.py. Counters of model calls are each worker's own since it
started, written with its heartbeat; Prometheus handles their restarts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeVar
from uuid import UUID

from prometheus_client import generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    Exemplar,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.openmetrics.exposition import generate_latest as openmetrics_text
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from worker.condition import COUNT_LIMIT, QueueCondition, VectorCounts, Wait, WorkerCondition
from worker.other_work import read_other_work
from worker.worker_stats import TURN_SECONDS

M = TypeVar("M", GaugeMetricFamily, CounterMetricFamily)

NAMED = 20  # projects that have a label of their own; the others share `other`
_CAPPED = f"counted up to {COUNT_LIMIT}"
_NOW = {
    "busy": (
        "rapport_readers_busy",
        "Tasks that this worker's pool has in hand, of RAPPORT_WORKERS x RAPPORT_READERS.",
    ),
    "calls_in_flight": (
        "rapport_model_calls_in_flight",
        "Questions to language models without an answer yet.",
    ),
}
_COUNTERS = {
    "errors": ("rapport_worker_errors", "Errors in Rapport that this worker's pool has logged."),
    "model_calls": ("rapport_model_calls", "Questions asked to language models by this worker's pool."),
    "model_errors": ("rapport_model_errors", "Questions to language models that failed."),
    "prompt_tokens": ("rapport_model_prompt_tokens", "Tokens sent to language models."),
    "output_tokens": ("rapport_model_output_tokens", "Tokens that language models answered with."),
}


def render_metrics(
    condition: QueueCondition | None, others: Sequence[Metric] = (), *, openmetrics: bool = False
) -> bytes:
    """Render the metrics. `condition`: None if it could not be read; `others`: those of the functions in METRICS.

    `openmetrics`: in that format, which has example traces.
    """
    found = _Found([*(_of_queue(condition) if condition is not None else ()), *others])
    if not openmetrics:
        return generate_latest(found)
    text: bytes = openmetrics_text(found)  # type: ignore[no-untyped-call]
    return text


class _Found(Collector):
    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics


def _of_queue(condition: QueueCondition) -> Iterator[Metric]:
    yield from _turns(condition)
    yield from _waits(condition.waits)
    yield from _vectors(condition.vectors)
    yield from worker_metrics(condition.workers)


def _filled(metric: M, samples: Mapping[Any, float]) -> M:
    """`metric` with a sample for each of the values of its labels."""
    for values, sample in samples.items():
        metric.add_metric(values, sample)
    return metric


def _turns(condition: QueueCondition) -> Iterator[Metric]:
    states = ("due", "retrying", "untriggered", "processing", "failed")
    turns = GaugeMetricFamily("rapport_turns", f"Turns by what they wait for, {_CAPPED}.", labels=["state"])
    yield _filled(turns, {(state,): getattr(condition.turns, state) for state in states})
    yield GaugeMetricFamily(
        "rapport_turns_stored", "Turns of any state, as the planner estimates.", value=condition.turns.stored
    )
    yield GaugeMetricFamily(
        "rapport_queue_tasks", f"Tasks no worker has taken yet, {_CAPPED}.", value=condition.queued
    )


def _waits(waits: Sequence[Wait]) -> Iterator[Metric]:
    """Metrics by project ID for the projects with most waiting turns; the rest as `other`, to limit the series."""
    labels = ["project", "reason"]
    turns = GaugeMetricFamily("rapport_turns_waiting", "Turns by what they wait for.", labels=labels)
    told = "How long the oldest of them has been owed."
    oldest = GaugeMetricFamily("rapport_oldest_turn_seconds", told, labels=labels)
    named = _named((wait.project_id, wait.turns) for wait in waits)
    counted: Counter[tuple[str, str]] = Counter()
    seconds: dict[tuple[str, str], float] = {}
    for wait in waits:
        key = (project_label(wait.project_id, named), wait.reason)
        counted[key] += wait.turns
        seconds[key] = max(wait.seconds, seconds.get(key, 0.0))
    yield _filled(turns, dict(sorted(counted.items())))
    yield _filled(oldest, dict(sorted(seconds.items())))


def _named(counts: Iterable[tuple[UUID, int]]) -> set[UUID]:
    """The projects with the highest sums of these counts."""
    of_project: Counter[UUID] = Counter()
    for project_id, count in counts:
        of_project[project_id] += count
    return {project_id for project_id, _ in of_project.most_common(NAMED)}


def project_label(project_id: UUID, named: set[UUID]) -> str:
    """Few projects have a series of their own."""
    return str(project_id) if project_id in named else "other"


def _vectors(vectors: VectorCounts) -> Iterator[Metric]:
    told = f"Texts without their vector, {_CAPPED}."
    owed = GaugeMetricFamily("rapport_vectors_owed", told, labels=["state"])
    yield _filled(owed, {("due",): vectors.owed - vectors.retrying, ("retrying",): vectors.retrying})
    yield GaugeMetricFamily(
        "rapport_oldest_vector_seconds",
        "How long the text that is due longest waits for its vector.",
        value=vectors.oldest_seconds,
    )


def other_work_metrics() -> Iterable[Metric]:
    """What workers owe besides turns and texts, by project. Raises django.db.Error."""
    work = read_other_work()
    named = _named((each.project_id, each.rows) for each in work)
    counted: Counter[tuple[str, str, str]] = Counter()
    for each in work:
        counted[project_label(each.project_id, named), each.kind.replace(" ", "_"), each.state] += each.rows
    told = f"Work besides turns and texts, each kind {_CAPPED}; failed: within a day."
    metric = GaugeMetricFamily("rapport_other_work", told, labels=["project", "kind", "state"])
    return [_filled(metric, dict(sorted(counted.items())))]


def ready_metric(ready: bool) -> Metric:
    return GaugeMetricFamily("rapport_worker_ready", "1: /readyz/worker is green.", value=float(ready))


def unread_metric(unread: Mapping[str, bool]) -> Metric:
    """The metric that says which parts of the metrics are missing."""
    told = "1: these metrics are missing, as a node of the database is away, or it is too slow."
    return _filled(
        GaugeMetricFamily("rapport_metrics_unread", told, labels=["part"]),
        {(part,): float(missing) for part, missing in unread.items()},
    )


def worker_metrics(workers: Sequence[WorkerCondition]) -> Iterator[Metric]:
    told = "Since the worker's last sign of life."
    ages = GaugeMetricFamily("rapport_worker_beat_age_seconds", told, labels=["worker"])
    yield _filled(ages, {(worker.name,): worker.beat_age_seconds for worker in workers})
    told = "How often its pool was started anew: by the watchdog, or as it ended by itself."
    restarts = CounterMetricFamily("rapport_worker_pool_restarts", told, labels=["worker"])
    yield _filled(restarts, {(worker.name,): worker.pool_restarts for worker in workers})
    told = "From a turn's being accepted to its being applied, by this worker's pool since it started."
    times = HistogramMetricFamily("rapport_turn_seconds", told, labels=["worker"])
    for worker in workers:
        if buckets := worker.counters.get("turn_times"):
            times.add_metric([worker.name], _cumulative(buckets), sum(bucket[1] for bucket in buckets))
    yield times
    for key, (name, told) in _NOW.items():
        gauge = GaugeMetricFamily(name, told, labels=["worker"])
        yield _filled(gauge, {(worker.name,): worker.counters.get(key, 0) for worker in workers})
    for key, (name, told) in _COUNTERS.items():
        counter = CounterMetricFamily(name, told, labels=["worker"])
        yield _filled(counter, {(worker.name,): worker.counters.get(key, 0) for worker in workers})


def _cumulative(buckets: Sequence[Any]) -> list[tuple[str, float] | tuple[str, float, Exemplar]]:
    """Cumulate buckets like Prometheus: each includes those before it. The example is the trace of a turn."""
    bounds = [*map(floatToGoString, TURN_SECONDS), "+Inf"]
    turns = accumulate(bucket[0] for bucket in buckets)
    return [
        (bound, total, Exemplar({"trace_id": trace_id}, seconds, at)) if trace_id else (bound, total)
        for bound, total, (_, _, trace_id, seconds, at) in zip(bounds, turns, buckets, strict=False)
    ]
