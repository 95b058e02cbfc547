from memory.retrieval.gates.always import AlwaysGate
from tests.unit.memory.retrieval.gates.asked import asked


def test_it_is_open() -> None:
    assert AlwaysGate().opens(asked()).open
