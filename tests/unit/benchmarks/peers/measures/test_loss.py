from pathlib import Path

from benchmarks.peers.findings import Finding
from benchmarks.peers.measures.loss import TRIALS, measure
from tests.unit.benchmarks.peers.measures.remembering import Fault, Taught, field_of


def values(finding: Finding, what: str, system: str) -> list[object]:
    return [line.values[system] for line in finding.lines if line.name.endswith(f": {what}")]


def test_a_system_without_fault_loses_doubles_and_mixes_up_nothing(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, made):
        finding = measure(field)

    assert [goal.met for goal in finding.goals] == [True]
    assert made[0].started == ["start", *["kill", "start again"] * 2, "stop"]
    assert made[0].workers == 3


def test_the_model_is_well_again_after_each_trial(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, _):
        measure(field)

    assert isinstance(field.model, Taught)
    assert field.model.orders == [{"spoil": 10}, {"spoil": 0}, *[{"latency": 300}, {"latency": 0}] * 2]


def test_people_who_are_mixed_up_are_counted_as_misplaced(tmp_path: Path) -> None:
    faults: tuple[Fault, ...] = ("", "mixes people up")
    with field_of(tmp_path, *faults) as (field, _):
        finding = measure(field)

    assert finding.remarks == []
    assert values(finding, "misplaced", "rapport") == [[0.0]] * len(TRIALS)
    assert all(value != [0.0] for value in values(finding, "misplaced", "mixes people up"))


def test_what_a_system_refuses_is_handed_over_again_and_then_lost(tmp_path: Path) -> None:
    with field_of(tmp_path, "breaks") as (field, _):
        finding = measure(field)

    (refused, *_), (lost, *_) = values(finding, "calls refused", "breaks"), values(finding, "lost", "breaks")
    assert (refused, lost) == ([60.0], [20.0])


def test_what_is_lost_without_a_word_is_said(tmp_path: Path) -> None:
    faults: tuple[Fault, ...] = ("", "forgets some")
    with field_of(tmp_path, *faults) as (field, _):
        finding = measure(field)

    assert [remark.partition(",")[0] for remark in finding.remarks] == ["forgets some"] * len(TRIALS)
    assert finding.remarks[0].endswith("2 facts were lost, and neither a call nor the system said so")
