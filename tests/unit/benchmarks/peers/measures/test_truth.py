from pathlib import Path

from benchmarks.peers.findings import Finding, Line, middle_of
from benchmarks.peers.measures.truth import Life, measure
from benchmarks.peers.stories import life_stories
from tests.unit.benchmarks.peers.measures.remembering import Fault, field_of


def found(folder: Path, *faults: Fault) -> Finding:
    with field_of(folder, *faults) as (field, _):
        return measure(field)


def line(finding: Finding, name: str) -> Line:
    return next(line for line in finding.lines if line.name == name)


def test_a_system_without_fault_is_right_in_every_story(tmp_path: Path) -> None:
    finding = found(tmp_path, "")

    assert [goal.met for goal in finding.goals] == [True]
    assert line(finding, "changes with the old value gone").values == {"rapport": [100.0]}
    assert line(finding, "other facts lost on the way").values == {"rapport": [0.0]}
    assert finding.remarks == []


def test_a_system_that_only_adds_shows_the_new_beside_the_old(tmp_path: Path) -> None:
    finding = found(tmp_path, "", "only adds")

    assert line(finding, "changes with the new value there").values["only adds"] == [100.0]
    assert line(finding, "stories right throughout, of 20").values["only adds"] == [0.0]
    old_gone = middle_of(line(finding, "changes with the old value gone").values["only adds"])
    assert old_gone is not None
    assert old_gone < 20  # what is said again has no old value
    assert line(finding, "changes with the old value gone").winners() == ["rapport"]


def test_an_error_of_a_system_is_told_and_its_changes_count_as_wrong(tmp_path: Path) -> None:
    finding = found(tmp_path, "", "breaks")

    assert line(finding, "changes with the new value there").values["breaks"] == [0.0]
    assert line(finding, "correction latency, p50").values["breaks"] == "never right"
    assert finding.remarks == ["breaks: 20 stories ended with an error, the first: RuntimeError: broken"]


def test_what_comes_back_later_makes_a_story_wrong(tmp_path: Path) -> None:
    finding = found(tmp_path, "", "brings back")

    back = line(finding, "ended statements that came back, or never went")
    assert back.values["rapport"] == [0.0]
    assert (middle_of(back.values["brings back"]) or 0) > 0
    assert (middle_of(line(finding, "stories right throughout, of 20").values["brings back"]) or 0) < 20


def test_no_question_is_asked_twice_in_the_same_words(tmp_path: Path) -> None:
    with field_of(tmp_path, "", "only adds") as (field, made):
        measure(field)

    asked = [question for system in made for question in system.asked]
    assert len(asked) > 100
    assert len(set(asked)) == len(asked)


def test_a_story_is_right_only_if_nothing_was_lost_beside_and_nothing_came_back() -> None:
    (story,) = life_stories(1, seed="any")

    assert Life(story).right
    assert not Life(story, lost_beside=1).right
    assert not Life(story, came_back=1).right
    assert not Life(story, failure="broken").right


def test_the_goal_is_held_to_the_worst_of_rapports_systems(tmp_path: Path) -> None:
    with field_of(tmp_path, "", "only adds", names={"": "rapport", "only adds": "rapport-retrieval"}) as (
        field,
        _,
    ):
        finding = measure(field)

    assert [goal.value for goal in finding.goals] == [0.0]
