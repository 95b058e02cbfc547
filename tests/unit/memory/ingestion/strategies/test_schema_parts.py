"""What each question tells a model to answer fits the schema that it is held to, and is short."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.ingestion import prompt
from memory.ingestion.prompt import Question, build_request
from memory.ingestion.strategies.classifier import CLASSIFY_SCHEMA
from memory.ingestion.strategies.importance import SCORE_SCHEMA
from memory.ingestion.strategies.two_call import DECIDE_SCHEMA, EXTRACT_SCHEMA
from providers.llm.base import NumberedFact
from providers.tokens import estimate_tokens
from tests.unit.memory.ingestion.readings import ingestion_input, shown

PROMPTS = Path(prompt.__file__).parent / "prompts"
FACT = NumberedFact(1, "Lives in Lisbon", "identity", "user")
QUESTIONS = [
    Question("extract", "extract.md", "The facts, as JSON:", EXTRACT_SCHEMA),
    Question("score", "score.md", "The memories, as JSON:", SCORE_SCHEMA),
    Question("classify", "classify.md", "The memories, as JSON:", CLASSIFY_SCHEMA),
    Question(
        "decide",
        "decide.md",
        "The decisions, as JSON:",
        DECIDE_SCHEMA,
        guided=False,
        shows_types=False,
        shows_messages=False,
        facts=(FACT,),
    ),
]
tasks = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.task)


@tasks
def test_the_example_of_a_contract_fits_its_schema(question: Question) -> None:
    system = build_request(ingestion_input("Hi."), question).system
    found = re.search(r'^\{"[a-z]+": \[\n.*?^[^\n]*\]\}$', system, re.MULTILINE | re.DOTALL)
    assert found, system
    example: Any = json.loads(found[0])

    assert question.schema is not None
    [(name, known)] = [
        (name, part["items"])
        for name, part in question.schema["properties"].items()
        if name in question.schema["required"]
    ]
    for item in example[name]:
        assert set(known["required"]) <= set(item) <= set(known["properties"])


@pytest.mark.parametrize("template", ["answer_format", "extract", "score", "classify", "record"])
def test_whoever_makes_dates_absolute_is_told_to_say_no_more_than_was_said(template: str) -> None:
    said = (PROMPTS / f"{template}.md").read_text()

    assert "only as exact as" in said and "2023-06" in said


@tasks
def test_the_fixed_prompt_stays_under_930_tokens(question: Question) -> None:
    request = build_request(ingestion_input("Hello."), question)

    assert estimate_tokens(request.system + request.prompt) < 930


@tasks
def test_likely_entries_are_numbered_with_their_keys_and_without_ids(question: Question) -> None:
    entry = shown("Lives in\n[9] Porto", key="city", type="identity")

    prompt = build_request(ingestion_input("Hi.", entries=[entry]), question).prompt

    assert "[1] (identity, city, told 2026-03-01) Lives in [9] Porto" in prompt
    assert str(entry.id) not in prompt


def test_a_decision_is_shown_facts_and_no_messages() -> None:
    prompt = build_request(ingestion_input("I moved to Lisbon."), QUESTIONS[-1]).prompt

    assert "[1] (identity) Lives in Lisbon" in prompt
    assert "I moved" not in prompt


def test_a_decision_is_shown_when_each_fact_was_told_and_happens() -> None:
    moved = replace(FACT, messages=(1,), happens_at="2026-02", subject="Ana")
    question = replace(QUESTIONS[-1], facts=(moved,))

    prompt = build_request(ingestion_input("I moved to Lisbon."), question).prompt

    assert "[1] (identity, about Ana, told 2026-03-02, happens_at 2026-02) Lives in Lisbon" in prompt
