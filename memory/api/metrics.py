"""/metrics: what the database knows about the queue, in Prometheus' text format.

Every figure comes from the database, so it does not matter which process is asked, nor how many there are.
Counters of model calls are each worker's own since it started, written with its heartbeat; Prometheus handles
their restarts.
"""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from memory.queue.condition import COUNT_LIMIT, QueueCondition, VectorCounts, WorkerCondition

_CAPPED = f"counted up to {COUNT_LIMIT}"
_COUNTERS = {
    "model_calls": ("rapport_model_calls", "Questions asked to language models by this worker's pool."),
    "model_errors": ("rapport_model_errors", "Questions to language models that failed."),
    "prompt_tokens": ("rapport_model_prompt_tokens", "Tokens sent to language models."),
    "output_tokens": ("rapport_model_output_tokens", "Tokens that language models answered with."),
}


def render_metrics(condition: QueueCondition) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Condition(condition))
    return generate_latest(registry)


class _Condition(Collector):
    def __init__(self, condition: QueueCondition) -> None:
        self._condition = condition

    def collect(self) -> Iterable[Metric]:
        yield from _turns(self._condition)
        yield from _vectors(self._condition.vectors)
        yield from _workers(self._condition.workers)


def _turns(condition: QueueCondition) -> Iterator[Metric]:
    turns = GaugeMetricFamily("rapport_turns", f"Turns by what they wait for, {_CAPPED}.", labels=["state"])
    for state in ("due", "retrying", "untriggered", "processing", "failed"):
        turns.add_metric([state], getattr(condition.turns, state))
    yield turns
    yield GaugeMetricFamily(
        "rapport_turns_stored", "Turns of any state, as the planner estimates.", value=condition.turns.stored
    )
    yield GaugeMetricFamily(
        "rapport_oldest_turn_seconds",
        "How long the oldest due or retried turn has been owed.",
        value=condition.oldest_seconds,
    )
    yield GaugeMetricFamily(
        "rapport_queue_tasks", f"Nudges no worker has taken yet, {_CAPPED}.", value=condition.queued
    )


def _vectors(vectors: VectorCounts) -> Iterator[Metric]:
    owed = GaugeMetricFamily(
        "rapport_vectors_owed", f"Texts without their vector, {_CAPPED}.", labels=["state"]
    )
    owed.add_metric(["due"], vectors.owed - vectors.retrying)
    owed.add_metric(["retrying"], vectors.retrying)
    yield owed
    yield GaugeMetricFamily(
        "rapport_oldest_vector_seconds",
        "How long the text that is due longest waits for its vector.",
        value=vectors.oldest_seconds,
    )


def _workers(workers: Iterable[WorkerCondition]) -> Iterator[Metric]:
    ages = GaugeMetricFamily(
        "rapport_worker_beat_age_seconds", "Since the worker's last sign of life.", labels=["worker"]
    )
    restarts = CounterMetricFamily(
        "rapport_worker_pool_restarts", "How often its watchdog started the pool anew.", labels=["worker"]
    )
    counters = {
        key: CounterMetricFamily(name, help_text, labels=["worker"])
        for key, (name, help_text) in _COUNTERS.items()
    }
    for worker in workers:
        ages.add_metric([worker.name], worker.beat_age_seconds)
        restarts.add_metric([worker.name], worker.pool_restarts)
        for key, counter in counters.items():
            counter.add_metric([worker.name], worker.counters.get(key, 0))
    yield from (ages, restarts, *counters.values())
