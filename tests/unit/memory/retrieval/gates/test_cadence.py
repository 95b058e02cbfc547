import pytest

from memory.retrieval.gates.cadence import CadenceGate
from tests.unit.memory.retrieval.gates.asked import asked


@pytest.mark.parametrize(("turns", "opens"), [(0, True), (1, False), (2, True), (3, False), (4, True)])
def test_every_second_turn_opens_it_beginning_with_the_first(turns: int, opens: bool) -> None:
    assert CadenceGate().opens(asked(turns=turns)).open is opens


def test_the_reason_counts_turns_from_one() -> None:
    assert CadenceGate().opens(asked(turns=2)).reason == "turn 3, one of every 2"
    assert CadenceGate().opens(asked(turns=1)).reason == "turn 2, between every 2"
