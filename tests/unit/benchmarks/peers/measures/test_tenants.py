from pathlib import Path

from benchmarks.peers.findings import Finding
from benchmarks.peers.measures.tenants import MEMORIES, measure, memories_of, own_among
from tests.unit.benchmarks.peers.measures.remembering import Fault, field_of


def values(finding: Finding, name: str) -> list[object]:
    return [dict(line.values) for line in finding.lines if line.name.endswith(name)]


def test_everybody_has_as_many_memories_and_no_two_are_alike() -> None:
    memories = memories_of(5)

    texts = [text for own in memories.values() for text in own]

    assert len(texts) == len(set(texts)) == 5 * MEMORIES


def test_a_memory_is_counted_once_wherever_it_stands() -> None:
    assert (
        own_among(["- about tea: Bim", "- about tea: Bim", "about rain"], ["about tea: Bim", "about snow"])
        == 1
    )


def test_a_system_that_shows_everybody_their_own_finds_all(tmp_path: Path) -> None:
    with field_of(tmp_path, "") as (field, _):
        finding = measure(field)

    assert values(finding, "items found of 20, mean") == [{"rapport": [20.0]}] * 2
    assert values(finding, "somebody else's") == [{"rapport": [0.0]}] * 2
    assert [goal.met for goal in finding.goals] == [True]
    assert len(finding.remarks) == 1  # that a recipe which shows all searches for nothing


def test_a_system_that_finds_nothing_is_said_to(tmp_path: Path) -> None:
    faults: tuple[Fault, ...] = ("", "mixes people up")
    with field_of(tmp_path, *faults) as (field, _):
        finding = measure(field)

    nothing = values(finding, "searches that found nothing, of 48")
    assert nothing == [{"rapport": [0.0], "mixes people up": [48.0]}] * 2


def test_one_recipe_that_misses_something_misses_the_goal(tmp_path: Path) -> None:
    names: dict[Fault, str] = {"": "rapport", "mixes people up": "rapport-retrieval"}
    with field_of(tmp_path, *names, names=names) as (field, _):
        finding = measure(field)

    assert [goal.met for goal in finding.goals] == [False]
