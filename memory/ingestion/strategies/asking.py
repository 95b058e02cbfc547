"""Asks a model for JSON: once more with the complaint where the answer can't be read, and with more room where it
was cut off, unless all that it did with the room was to repeat itself.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.configuration import MOST_OUTPUT_TOKENS
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.prompt import Question, build_request
from providers.errors import AnswerTruncated, RequestRefused
from providers.llm.base import Completion, CompletionRequest
from providers.llm.json_text import closed_loop

T = TypeVar("T")
SHOWN_BACK = 8000  # characters of an answer that could not be read
MORE_ROOM = 2  # times an answer that was cut off is asked for again, each time with twice the tokens
WAY_OUT = (
    "Raise ingestion.max_output_tokens, choose a model that answers at greater length, or say less in a turn."
)


def ask(
    question: Question, given: IngestionInput, log: CallLog, *, purpose: str, parse: Callable[[str], T]
) -> T:
    """What `parse` makes of the answer. Raises UnparsableAnswer when the second is no better, ProviderError."""
    request = build_request(given, question)
    completion, request = _ask_with_room(request, question, given, log, purpose)
    try:
        return parse(completion.text)
    except UnparsableAnswer as error:
        complaint = f"{error} Answer again, with the JSON object only{_shape(question)}."
        repair = replace(request, history=(("assistant", completion.text[:SHOWN_BACK]), ("user", complaint)))
    completion = log.ask(repair, given, purpose=purpose_of(question, "repair"))
    return parse(completion.text)


def _shape(question: Question) -> str:
    """What an answer without anything looks like: a small model says in words that there is nothing."""
    name = _list_of(question)
    return f': {{"{name}": []}} if there is nothing' if question.guided and name else ""


def _list_of(question: Question) -> str:
    """The name of the list that is asked for; "" where the form of the answer is free."""
    schema = question.tool.parameters if question.tool else question.schema
    return str(schema["required"][0]) if schema else ""


def ask_back(
    question: Question, given: IngestionInput, log: CallLog, *, answered: str, complaint: str, purpose: str
) -> str:
    """What the model says to a complaint about an answer that could be read. Raises ProviderError."""
    request = build_request(given, question)
    history = (("assistant", answered[:SHOWN_BACK]), ("user", complaint))
    return log.ask(replace(request, history=history), given, purpose=purpose_of(question, purpose)).text


def purpose_of(question: Question, purpose: str) -> str:
    """What a trace says a call was for: `operations` asks one question, the others are named by theirs."""
    if question.task == "operations":
        return purpose
    return question.task if purpose == "ingestion" else f"{question.task} {purpose}"


def _ask_with_room(
    request: CompletionRequest, question: Question, given: IngestionInput, log: CallLog, purpose: str
) -> tuple[Completion, CompletionRequest]:
    """The answer, and the request that had the room for it. Raises ProviderError.

    Of several turns fewer are read at once instead, which whoever reads them sees to. Of one whose answer goes in a
    circle with more room it would go on.
    """
    named, tries = purpose_of(question, purpose), 0
    while True:
        try:
            return log.ask(request, given, purpose=named), request
        except AnswerTruncated as cut:
            room = request.max_output_tokens
            if room is None or (len(given.turns) > 1 and purpose != "preview"):
                raise
            if cut.completion and (whole := closed_loop(cut.completion.text, _list_of(question))):
                return log.take_for(replace(cut.completion, text=whole)), request
            if tries == MORE_ROOM or room >= MOST_OUTPUT_TOKENS:
                raise AnswerTruncated(
                    f"{cut} It had room for {room} tokens. {WAY_OUT}", completion=cut.completion
                ) from cut
            request, earlier = replace(request, max_output_tokens=min(2 * room, MOST_OUTPUT_TOKENS)), cut
            named, tries = purpose_of(question, "more room"), tries + 1
        except RequestRefused as refusal:
            if not tries:
                raise
            raise AnswerTruncated(f"{earlier} With more room it is refused: {refusal} {WAY_OUT}") from refusal
