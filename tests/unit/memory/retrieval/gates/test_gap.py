import pytest

from memory.retrieval.gates.gap import GapGate
from tests.unit.memory.retrieval.gates.asked import asked


@pytest.mark.parametrize(
    ("seconds", "opens"), [(None, True), (0, False), (29.9, False), (30, True), (90, True), (-5, False)]
)
def test_a_pause_of_thirty_seconds_opens_it_and_so_does_a_first_message(
    seconds: float | None, opens: bool
) -> None:
    assert GapGate().opens(asked(seconds_ago=seconds)).open is opens


def test_the_pause_is_the_companions_to_choose_and_the_reason_tells_it() -> None:
    decision = GapGate().opens(asked(seconds_ago=90, gap_seconds=120))
    assert (decision.open, decision.reason) == (False, "90 s since the last message")
