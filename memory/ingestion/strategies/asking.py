"""Asks a model for JSON, and once more with the complaint where the answer can't be read."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.prompt import Question, build_request
from memory.ingestion.reading import Reading

T = TypeVar("T")
SHOWN_BACK = 8000  # characters of an answer that could not be read


def ask(question: Question, reading: Reading, log: CallLog, *, purpose: str, parse: Callable[[str], T]) -> T:
    """What `parse` makes of the answer. Raises UnparsableAnswer when the second is no better, ProviderError."""
    request = build_request(reading, question)
    completion = log.ask(request, reading, purpose=purpose_of(question, purpose))
    try:
        return parse(completion.text)
    except UnparsableAnswer as error:
        complaint = f"{error} Answer again, with the JSON object only."
        repair = replace(request, history=(("assistant", completion.text[:SHOWN_BACK]), ("user", complaint)))
    completion = log.ask(repair, reading, purpose=purpose_of(question, "repair"))
    return parse(completion.text)


def purpose_of(question: Question, purpose: str) -> str:
    """What a trace says a call was for: `operations` asks one question, the others are named by theirs."""
    if question.task == "operations":
        return purpose
    return question.task if purpose == "ingestion" else f"{question.task} {purpose}"
