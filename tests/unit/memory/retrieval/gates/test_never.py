from memory.retrieval.gates.never import NeverGate
from tests.unit.memory.retrieval.gates.asked import asked


def test_it_is_closed() -> None:
    assert not NeverGate().opens(asked("do you remember?")).open
