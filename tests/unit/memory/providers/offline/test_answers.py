from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ingestion.strategies.classifier import CLASSIFY_SCHEMA
from memory.ingestion.strategies.importance import SCORE_SCHEMA
from memory.ingestion.strategies.keyed_facts import record_schema
from memory.ingestion.strategies.two_call import DECIDE_SCHEMA, EXTRACT_SCHEMA
from memory.providers.base import KnownKey, NumberedFact, Task
from memory.providers.offline.answers import ANSWERS
from tests.labelled.scratchpad import THURSDAY, TYPES, entry, known
from tests.labelled.strategies import ask

SCHEMAS = {
    "extract": EXTRACT_SCHEMA,
    "decide": DECIDE_SCHEMA,
    "score": SCORE_SCHEMA,
    "classify": CLASSIFY_SCHEMA,
    "record": record_schema(["city", "like"], TYPES),
}
SAID = "I moved to Faro and I love jazz. Forget that I like tea."
KNOWN = known(entry("Lives in Porto", "identity", key="city"), entry("Likes tea", "preference"))
KEYS = [KnownKey("city", "identity", "Lives in {value}", True), KnownKey("like", "preference")]
FACTS = [NumberedFact(1, "Lives in Faro", "identity", "user", 0.95, messages=(1,))]


def test_every_question_is_answered() -> None:
    assert set(ANSWERS) == set(get_args(Task))


@pytest.mark.parametrize("task", SCHEMAS)
def test_an_answer_has_the_lists_and_fields_of_its_schema(task: Task) -> None:
    answer = ask(task, SAID, KNOWN, at=THURSDAY, facts=FACTS, keys=KEYS)

    lists = SCHEMAS[task]["properties"]
    assert set(SCHEMAS[task]["required"]) <= set(answer) <= set(lists)
    for name, items in answer.items():
        assert items, name
        for item in items:
            fields = lists[name]["items"]
            assert set(fields["required"]) <= set(item) <= set(fields["properties"])


@pytest.mark.parametrize("task", SCHEMAS)
@given(said=st.text(max_size=300), earlier=st.text(max_size=100))
@settings(max_examples=30, deadline=None)
def test_whatever_is_said_every_question_has_an_answer(task: Task, said: str, earlier: str) -> None:
    answer = ask(task, said, KNOWN, at=THURSDAY, facts=FACTS, keys=KEYS, earlier=[earlier, SAID])

    assert set(SCHEMAS[task]["required"]) <= set(answer)
