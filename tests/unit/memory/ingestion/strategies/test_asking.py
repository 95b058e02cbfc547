import pytest

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.operations import parse_answer
from memory.ingestion.prompt import OPERATIONS, Question
from memory.ingestion.strategies.asking import ask
from memory.ingestion.strategies.importance import SCORE_SCHEMA
from tests.fakes import ScriptedProvider
from tests.unit.memory.ingestion.readings import ingestion_input

SCORE = Question("score", "score.md", "The memories, as JSON:", SCORE_SCHEMA, model="small")


@pytest.fixture
def provider() -> ScriptedProvider:
    return ScriptedProvider()


def test_an_answer_that_cannot_be_read_is_asked_for_once_more_with_the_complaint(
    provider: ScriptedProvider,
) -> None:
    provider.answer_with("Sorry?", {"operations": [1]})
    log = CallLog(provider)

    found = ask(OPERATIONS, ingestion_input("Hi."), log, purpose="ingestion", parse=parse_answer)

    assert found == [1]
    (_, shown_back), (_, complaint) = provider.requests[1].history
    assert shown_back == "Sorry?"
    assert "not JSON" in complaint
    assert [record.purpose for record in log.waiting] == ["ingestion", "repair"]


def test_a_second_answer_that_cannot_be_read_is_the_end(provider: ScriptedProvider) -> None:
    provider.answer_with("Sorry?", "Sorry.")

    with pytest.raises(UnparsableAnswer):
        ask(OPERATIONS, ingestion_input("Hi."), CallLog(provider), purpose="ingestion", parse=parse_answer)


@pytest.mark.parametrize(
    ("purpose", "named"),
    [("ingestion", "score"), ("ask_again", "score ask_again"), ("preview", "score preview")],
)
def test_a_trace_names_the_question_that_was_asked(
    purpose: str, named: str, provider: ScriptedProvider
) -> None:
    provider.answer_with({"memories": []})
    log = CallLog(provider)

    ask(
        SCORE, ingestion_input("Hi."), log, purpose=purpose, parse=lambda text: parse_answer(text, "memories")
    )

    assert [record.purpose for record in log.waiting] == [named]
    assert log.models == {log.ids[0]: "small"}
