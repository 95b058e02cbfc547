from dataclasses import replace
from pathlib import Path

from benchmarks.peers.findings import Finding
from benchmarks.peers.measures.loss import MET, TRIALS, measure
from benchmarks.peers.systems.base import System
from tests.unit.benchmarks.peers.measures.lagging import Lagging
from tests.unit.benchmarks.peers.measures.remembering import Fault, Remembering, Taught, field_of


def values(finding: Finding, what: str, system: str) -> list[object]:
    return [line.values[system] for line in finding.lines if line.name.endswith(f": {what}")]


def test_a_system_without_fault_loses_doubles_and_mixes_up_nothing(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, made):
        finding = measure(field)

    assert finding.goals[0].met
    assert made[0].started == ["start", *["kill", "start again"] * 4, "stop"]
    assert made[0].workers == 3


def test_the_model_is_well_again_after_each_trial(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, _):
        measure(field)

    assert isinstance(field.model, Taught)
    assert field.model.orders == [{"spoil": 10}, {"spoil": 0}, *[{"latency": 300}, {"latency": 0}] * 4]


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

    (line,) = [line for line in finding.lines if line.name == "two workers: calls refused"]
    (lost,) = [line for line in finding.lines if line.name == "two workers: lost"]
    assert (line.values, lost.values) == ({"breaks": [60.0]}, {"breaks": [20.0]})


def test_what_is_lost_without_a_word_is_said(tmp_path: Path) -> None:
    faults: tuple[Fault, ...] = ("", "forgets some")
    with field_of(tmp_path, *faults) as (field, _):
        finding = measure(field)

    assert [remark.partition(",")[0] for remark in finding.remarks] == ["forgets some"] * len(TRIALS)
    assert finding.remarks[0].endswith(": 10 facts were lost, and neither a call nor the system said so")


def test_answers_that_were_broken_are_counted(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, _):
        finding = measure(field)

    assert values(finding, "answers broken", "rapport") == [[10.0]]


def test_a_trial_in_which_no_answer_was_broken_shows_nothing(tmp_path: Path) -> None:
    class Offline(Remembering):
        def _ask(self) -> None:
            """It asks no model."""

    with field_of(tmp_path) as (field, _):
        model = Taught()
        finding = measure(replace(field, model=model, systems=[lambda: Offline(model)]))

    assert values(finding, "lost", "rapport")[0] == "no answer was broken"


def test_kills_that_met_nothing_under_way_miss_the_goal(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, _):
        finding = measure(field)

    assert values(finding, MET, "rapport") == [[0.0]]
    assert [goal.met for goal in finding.goals if goal.name == MET] == [False]


def test_kills_that_met_something_are_counted(tmp_path: Path) -> None:
    with field_of(tmp_path) as (field, _):
        model = Taught()

        def make() -> System:
            return Lagging(model)

        make.name = "rapport"  # type: ignore[attr-defined]
        finding = measure(replace(field, model=model, systems=[make]))

    assert values(finding, MET, "rapport") == [[4.0]]
    assert [goal.met for goal in finding.goals] == [True, True]


def test_the_goal_is_held_to_the_worst_of_rapports_systems(tmp_path: Path) -> None:
    names: dict[Fault, str] = {"": "rapport", "forgets some": "rapport-retrieval"}
    with field_of(tmp_path, "", "forgets some", names=names) as (field, _):
        finding = measure(field)

    assert finding.goals[0].met is False
