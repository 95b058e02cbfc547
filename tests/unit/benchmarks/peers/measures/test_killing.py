from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.peers.counts import Counts
from benchmarks.peers.field import Field
from benchmarks.peers.measures.clients import Deed
from benchmarks.peers.measures.killing import kill_at_call, kill_at_intake
from benchmarks.peers.stories import Told
from benchmarks.peers.systems.base import Message
from tests.unit.benchmarks.peers.measures.lagging import Lagging
from tests.unit.benchmarks.peers.measures.remembering import Remembering, Taught, field_of

DEEDS = [Deed("maya", Told("opening", f"I own boat {number}."), None) for number in range(8)]


@pytest.fixture
def model() -> Taught:
    model = Taught()
    model.slow_down(300)
    return model


def field(folder: Path, model: Taught) -> Field:
    with field_of(folder) as (field, _):
        return Field(field.house, model, [], {}, field.scale, field.say)


def test_a_kill_at_the_intake_cuts_a_call_off(model: Taught) -> None:
    killed = kill_at_intake(Lagging(model), DEEDS, after=0)

    assert killed.met
    assert len(killed.refused) == len(DEEDS) - 1


def test_a_kill_at_the_intake_of_who_is_done_meets_nothing(model: Taught) -> None:
    assert kill_at_intake(Remembering(model), DEEDS[:1], after=0) == ([], False)


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_kill_comes_when_the_model_has_begun_so_many_calls(tmp_path: Path, model: Taught, nth: int) -> None:
    system = Lagging(model)
    model.ask(system.name)

    killed = kill_at_call(field(tmp_path, model), system, DEEDS, nth=nth, after=0)

    assert killed.met
    assert model.calls[system.name] >= nth
    assert system.started == ["kill"]


def test_who_has_remembered_everything_is_killed_in_vain(tmp_path: Path, model: Taught) -> None:
    system = Remembering(model)
    model.ask(system.name)

    assert kill_at_call(field(tmp_path, model), system, DEEDS, nth=1, after=0) == ([], False)
    assert system.started == ["kill"]


def test_who_asks_for_embeddings_only_is_killed_at_one(tmp_path: Path, model: Taught) -> None:
    class Embedding(Lagging):
        def _ask(self) -> None:
            model.embeddings[self.name] += 1

    assert kill_at_call(field(tmp_path, model), Embedding(model), DEEDS, nth=2, after=0).met


def test_each_further_part_is_handed_over_when_one_more_call_has_begun(tmp_path: Path) -> None:
    class Polled(Taught):
        """A call about all that is owed begins when it is looked whether one has."""

        def counts(self, system: str) -> Counts:
            self.calls[system] += len(seen) > 4 * self.calls[system]
            return super().counts(system)

    class Batching(Remembering):
        def hand_over(self, user: str, messages: Sequence[Message], **options: Any) -> None:
            seen[messages[0].content] = model.calls[self.name]

        def settle(self, timeout: float) -> None:
            raise TimeoutError

    seen: dict[str, int] = {}
    model = Polled()
    model.ask("rapport")

    assert kill_at_call(field(tmp_path, model), Batching(model), DEEDS, nth=2, after=0).met
    assert all(seen[deed.told.message] >= 1 for deed in DEEDS[1::2])
