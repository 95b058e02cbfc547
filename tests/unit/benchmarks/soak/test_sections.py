from collections.abc import Mapping

import pytest

from benchmarks.soak.afterwards import Reckoning
from benchmarks.soak.pace import Done
from benchmarks.soak.sections import (
    WATCHED,
    afterwards_section,
    latency_section,
    memory_section,
    panels,
    requests_section,
)
from benchmarks.soak.watch import Sample
from memory.verification import Report
from memory.verification.invariant import Finding
from memory.verification.invariants.queue import FORGOTTEN, QueueInvariant

DONE = [Done(action, float(at), 0.0, 2.0 + at / 100) for at in range(100) for action in WATCHED]
SAMPLES = [
    Sample(float(at), {"web 11": 50.0, "web 12": 50.0 + at, **({"worker 13": 70.0} if at else {})}, 200.0)
    for at in range(20)
]


def test_errors_and_late_ones_are_counted_and_the_errors_told() -> None:
    done = [*DONE, Done("edit_entry", 5.0, 0.0, 1.0, "PATCH /v1: 500"), Done("edit_entry", 6.0, 7.0, 1.0)]

    section = requests_section(done, seconds=100, rate=5)

    assert {figure.name: figure.value for figure in section.missed()} == {
        "errors": 1,
        "left more than 100 ms late": 1,
    }
    assert "1 x PATCH /v1: 500" in section.how


def test_of_the_warm_up_only_the_errors_count() -> None:
    broken = Done("edit_entry", 1.0, 9.0, 500.0, "PATCH /v1: 500")

    section = requests_section(DONE, warm_up=[broken], seconds=100, rate=5)

    told = {figure.name: figure.value for figure in section.figures}
    assert (told["actions"], told["errors"]) == (len(DONE), 1)
    assert told["left more than 100 ms late"] == 0


def test_latency_that_grows_misses_its_goal() -> None:
    section = latency_section(DONE)

    assert f"{WATCHED[0]}, p50: last / first" in [figure.name for figure in section.missed()]


def test_the_tail_has_a_goal_where_there_are_enough_calls() -> None:
    tail = f"{WATCHED[0]}, p95: last / first"
    many = [Done(WATCHED[0], at / 10, 0.0, 2.0 if at < 900 or at % 10 else 9.0) for at in range(1200)]
    others = [one for one in DONE if one.action != WATCHED[0]]

    assert tail in [figure.name for figure in latency_section([*many, *others]).missed()]
    assert tail not in [figure.name for figure in latency_section(DONE).missed()]


def test_a_process_that_grows_is_named_by_its_service() -> None:
    section = memory_section(SAMPLES[1:], tasks=0)

    assert [figure.name for figure in section.missed()] == [
        "web, all processes: last / first",
        "web 2: last / first",
    ]


def test_only_processes_that_were_there_all_the_time_are_compared() -> None:
    named = [figure.name for figure in memory_section(SAMPLES, tasks=0).figures]

    assert not [name for name in named if name.startswith("worker 1")]


@pytest.mark.parametrize(
    ("first", "last", "tasks", "missed"),
    [
        pytest.param({"worker 1": 9.0}, {"worker 2": 9.0}, 900, "other processes that ended", id="replaced"),
        pytest.param(
            {"web 1": 9.0, "web 2": 9.0}, {"web 1": 9.0}, 0, "other processes that ended", id="lost"
        ),
        pytest.param({"reader 1": 9.0}, {"reader 2": 9.0}, 500, "", id="a reader that had its 500 tasks"),
        pytest.param({"worker 1": 9.0}, {"reader 1": 9.0}, 0, "", id="a reader seen before it had its name"),
        pytest.param(
            {"reader 1": 9.0}, {"reader 2": 9.0}, 499, "readers that ended", id="a reader that died"
        ),
        pytest.param(
            {"reader 1": 9.0},
            {"reader 2": 99.0},
            500,
            "worker, all processes: last / first",
            id="a larger one",
        ),
    ],
)
def test_processes_that_ended_do_not_drop_out_in_silence(
    first: Mapping[str, float], last: Mapping[str, float], tasks: int, missed: str
) -> None:
    samples = [Sample(float(at), first if at < 10 else last, 200.0) for at in range(20)]

    section = memory_section(samples, tasks=tasks)

    assert [figure.name for figure in section.missed()] == ([missed] if missed else [])


def test_a_turn_that_is_not_applied_misses_its_goal() -> None:
    reckoning = Reckoning(10, 1, 0, 2, 0, verified=Report(), at_rest=Report(), tasks=20)

    missed = [figure.name for figure in afterwards_section(reckoning).missed()]

    assert missed == ["accepted turns that are not applied"]


def test_a_problem_that_only_shows_while_the_worker_runs_misses_its_goal() -> None:
    running = Report()
    running.note(QueueInvariant(), [Finding(FORGOTTEN, None)], left=[])
    reckoning = Reckoning(10, 0, 0, 2, 0, verified=running, at_rest=Report(), tasks=20)

    assert [figure.name for figure in afterwards_section(reckoning).missed()] == ["problems found"]


def test_the_pictures_show_latency_and_memory_over_time() -> None:
    latency, memory = panels(DONE, SAMPLES, seconds=100)

    assert [line.name for line in latency.lines] == list(WATCHED)
    assert [line.name for line in memory.lines] == ["web 1", "web 2"]
