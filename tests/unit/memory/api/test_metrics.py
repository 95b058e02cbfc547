from prometheus_client.parser import text_string_to_metric_families

from memory.api.metrics import render_metrics
from memory.queue.condition import QueueCondition, TurnCounts, VectorCounts, WorkerCondition

CONDITION = QueueCondition(
    turns=TurnCounts(due=4, retrying=3, untriggered=2, processing=1, failed=5, stored=1000),
    oldest_seconds=12.5,
    queued=6,
    workers=(
        WorkerCondition("one:1:1", 0.5, 2, {"model_calls": 10, "prompt_tokens": 5000}),
        WorkerCondition("two:1:1", 60.0, 0, {}),
    ),
    vectors=VectorCounts(owed=9, retrying=2, oldest_seconds=4.5),
)


def samples() -> dict[tuple[str, str], float]:
    """Every sample that Prometheus would read, by its name and the value of its only label."""
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(render_metrics(CONDITION).decode())
        for sample in family.samples
    }


def test_prometheus_reads_the_queue() -> None:
    read = samples()

    states = ("due", "retrying", "untriggered", "processing", "failed")
    assert [read["rapport_turns", state] for state in states] == [4, 3, 2, 1, 5]
    assert read["rapport_turns_stored", ""] == 1000
    assert read["rapport_oldest_turn_seconds", ""] == 12.5
    assert read["rapport_queue_tasks", ""] == 6


def test_prometheus_reads_the_vectors_that_are_owed() -> None:
    read = samples()

    assert (read["rapport_vectors_owed", "due"], read["rapport_vectors_owed", "retrying"]) == (7, 2)
    assert read["rapport_oldest_vector_seconds", ""] == 4.5


def test_prometheus_reads_each_worker() -> None:
    read = samples()

    assert read["rapport_worker_beat_age_seconds", "one:1:1"] == 0.5
    assert read["rapport_worker_pool_restarts_total", "one:1:1"] == 2
    assert read["rapport_model_calls_total", "one:1:1"] == 10
    assert read["rapport_model_prompt_tokens_total", "one:1:1"] == 5000


def test_a_worker_that_has_counted_nothing_yet_counts_as_zero() -> None:
    assert samples()["rapport_model_errors_total", "two:1:1"] == 0
