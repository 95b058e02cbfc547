import pytest

from memory.retrieval.gates.keywords import KeywordsGate
from tests.unit.memory.retrieval.gates.asked import asked


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


def test_signs_in_a_keyword_stand_for_themselves() -> None:
    assert KeywordsGate().opens(asked("a.b?", keywords=["a.b?"])).open
    assert not KeywordsGate().opens(asked("axb", keywords=["a.b"])).open


def test_without_keywords_it_stays_closed() -> None:
    assert not KeywordsGate().opens(asked("remember", keywords=[])).open
    assert not KeywordsGate().opens(asked("   ", keywords=["  "])).open
