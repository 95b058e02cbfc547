from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.retrieval.configuration import Gate
from memory.retrieval.gates import (
    CadenceGate,
    GapGate,
    GateRequest,
    KeywordsGate,
    decide_gate,
)
from tests.growth import seconds

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def asked(
    message: str = "Hello", *, turns: int = 0, seconds_ago: float | None = None, **gate: Any
) -> GateRequest:
    last = None if seconds_ago is None else NOW - timedelta(seconds=seconds_ago)
    return GateRequest(message, Gate.model_validate(gate), lambda: turns, last, NOW)


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


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Do you REMEMBER my dog?", 'keyword "remember"'),
        ("What we did Last \n time", 'keyword "last time"'),
        ("(you said)", 'keyword "you said"'),
    ],
)
def test_a_whole_keyword_in_any_case_opens_it(message: str, reason: str) -> None:
    decision = KeywordsGate().opens(asked(message))
    assert (decision.open, decision.reason) == (True, reason)


@pytest.mark.parametrize("message", ["", "remembered", "at last, some time", "earlierly"])
def test_anything_else_leaves_it_closed(message: str) -> None:
    assert KeywordsGate().opens(asked(message)).reason == "no keyword"


def test_scripts_without_spaces_have_no_word_ends() -> None:
    assert KeywordsGate().opens(asked("私の犬を覚えていますか", keywords=["覚えて"])).open
    assert KeywordsGate().opens(asked("ギターを弾きたい", keywords=["ギター"])).open


def test_signs_in_a_keyword_stand_for_themselves() -> None:
    assert KeywordsGate().opens(asked("a.b?", keywords=["a.b?"])).open
    assert not KeywordsGate().opens(asked("axb", keywords=["a.b"])).open


def test_without_keywords_it_stays_closed() -> None:
    assert not KeywordsGate().opens(asked("remember", keywords=[])).open
    assert not KeywordsGate().opens(asked("   ", keywords=["  "])).open


@pytest.mark.parametrize(("turns", "opens"), [(0, True), (1, False), (2, True), (3, False), (4, True)])
def test_every_second_turn_opens_it_beginning_with_the_first(turns: int, opens: bool) -> None:
    assert CadenceGate().opens(asked(turns=turns)).open is opens


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


def test_many_keywords_are_looked_for_in_time_that_grows_with_the_message() -> None:
    """And not with its product with them: that took 18 seconds for the largest."""
    keywords = [f"{'a ' * 38}{number:03}" for number in range(200)]

    def look(count: int) -> float:
        return seconds(KeywordsGate().opens, asked("a " * 4000, keywords=keywords[:count]))

    assert look(200) < 20 * look(1)
