from memory.retrieval.gates.decide import decide_gate
from tests.unit.memory.retrieval.gates.asked import asked


def test_the_first_gate_that_opens_gives_the_reason() -> None:
    request = asked("remember?", turns=1, seconds_ago=100, open_on=["cadence", "gap", "keywords"])
    decision = decide_gate(request.gate, request)
    assert (decision.open, decision.reason) == (True, "gap: 100 s since the last message")


def test_closed_gates_all_say_why() -> None:
    request = asked("Hi", turns=1, seconds_ago=1, open_on=["keywords", "cadence"])
    decision = decide_gate(request.gate, request)
    assert (decision.open, decision.reason) == (
        False,
        "keywords: no keyword; cadence: turn 2, between every 2",
    )


def test_always_and_never_need_no_reason_beside_their_name() -> None:
    assert decide_gate(asked(open_on=["always"]).gate, asked()).reason == "always"
    assert decide_gate(asked(open_on=["never"]).gate, asked()).reason == "never"


def test_a_companion_without_any_gate_retrieves_nothing() -> None:
    decision = decide_gate(asked(open_on=[]).gate, asked())
    assert (decision.open, decision.reason) == (False, "nothing opens it")
