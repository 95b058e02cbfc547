import pytest

from memory.ingestion.calls import CallLog
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.asking import ask_for_operations
from memory.ingestion.strategies.importance import SCORE_SCHEMA
from tests.fakes import ScriptedProvider
from tests.unit.memory.ingestion.readings import ingestion_input

SCORE = Question("score", "score.md", "The memories, as JSON:", SCORE_SCHEMA, model="small")


@pytest.fixture
def provider() -> ScriptedProvider:
    return ScriptedProvider()


@pytest.mark.parametrize(
    ("purpose", "named"),
    [("ingestion", "score"), ("ask_again", "score ask_again"), ("preview", "score preview")],
)
def test_a_trace_names_the_question_that_was_asked(
    purpose: str, named: str, provider: ScriptedProvider
) -> None:
    provider.answer_with({"memories": []})
    log = CallLog(provider)

    ask_for_operations(SCORE, ingestion_input("Hi."), log, purpose=purpose, check=lambda _: [], again="")

    assert [record.row.purpose for record in log.waiting] == [named]
    assert log.last_model == "small"
