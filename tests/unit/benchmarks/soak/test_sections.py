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


def test_a_process_that_grows_is_named_by_its_service() -> None:
    section = memory_section(SAMPLES)

    assert [figure.name for figure in section.missed()] == ["web 2: last / first"]


def test_only_processes_that_were_there_all_the_time_are_compared() -> None:
    assert not [figure for figure in memory_section(SAMPLES).figures if figure.name.startswith("worker")]


def test_a_turn_that_is_not_applied_misses_its_goal() -> None:
    reckoning = Reckoning(10, not_applied=1, not_once=0, erased=2, left_of_erased=0, verified=Report())

    missed = [figure.name for figure in afterwards_section(reckoning).missed()]

    assert missed == ["accepted turns that are not applied"]


def test_the_pictures_show_latency_and_memory_over_time() -> None:
    latency, memory = panels(DONE, SAMPLES, seconds=100)

    assert [line.name for line in latency.lines] == list(WATCHED)
    assert [line.name for line in memory.lines] == ["web 1", "web 2"]
