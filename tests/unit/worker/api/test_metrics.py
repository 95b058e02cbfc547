from uuid import uuid4

from prometheus_client.parser import text_string_to_metric_families

from worker.api.metrics import NAMED, render_metrics
from worker.condition import QueueCondition, TurnCounts, VectorCounts, Wait, WorkerCondition

BUSY = uuid4()
CONDITION = QueueCondition(
    turns=TurnCounts(due=4, retrying=3, untriggered=2, processing=1, failed=5, stored=1000),
    queued=6,
    waits=(
        Wait(BUSY, "unauthorized", "gemini", 40, 320.0),
        Wait(BUSY, "due", "", 2, 12.5),
        *(Wait(uuid4(), "budget", "", 1 + number % 2, float(number)) for number in range(NAMED + 5)),
    ),
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


def test_prometheus_reads_the_queue_and_the_vectors_that_are_owed() -> None:
    read = samples()

    states = ("due", "retrying", "untriggered", "processing", "failed")
    assert [read["rapport_turns", state] for state in states] == [4, 3, 2, 1, 5]
    assert read["rapport_turns_stored", ""] == 1000
    assert read["rapport_queue_tasks", ""] == 6
    assert (read["rapport_vectors_owed", "due"], read["rapport_vectors_owed", "retrying"]) == (7, 2)
    assert read["rapport_oldest_vector_seconds", ""] == 4.5


def test_prometheus_reads_each_worker_and_zero_where_one_has_counted_nothing_yet() -> None:
    read = samples()

    assert read["rapport_worker_beat_age_seconds", "one:1:1"] == 0.5
    assert read["rapport_worker_pool_restarts_total", "one:1:1"] == 2
    assert read["rapport_model_calls_total", "one:1:1"] == 10
    assert read["rapport_model_prompt_tokens_total", "one:1:1"] == 5000
    assert read["rapport_model_errors_total", "two:1:1"] == 0


def labelled(name: str) -> dict[tuple[str, ...], float]:
    """The samples of one metric, by the values of their labels."""
    return {
        tuple(sample.labels.values()): sample.value
        for family in text_string_to_metric_families(render_metrics(CONDITION).decode())
        for sample in family.samples
        if sample.name == name
    }


def test_turns_that_wait_are_told_by_project_and_reason() -> None:
    turns, oldest = labelled("rapport_turns_waiting"), labelled("rapport_oldest_turn_seconds")

    assert (turns[str(BUSY), "unauthorized"], oldest[str(BUSY), "unauthorized"]) == (40, 320)
    assert (turns[str(BUSY), "due"], oldest[str(BUSY), "due"]) == (2, 12.5)


def test_however_many_projects_wait_there_are_few_series() -> None:
    turns = labelled("rapport_turns_waiting")

    assert len({project for project, _ in turns}) == NAMED + 1
    assert sum(turns.values()) == sum(wait.turns for wait in CONDITION.waits)
    assert turns["other", "budget"] > 0
