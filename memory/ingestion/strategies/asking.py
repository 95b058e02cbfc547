"""Ask a model for JSON. If the answer can't be parsed, ask once more with the complaint; if it was cut off, ask with
more output tokens, unless it only repeated itself.
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
SHOWN_BACK = 8000  # characters of an answer that could not be parsed
MORE_ROOM = 2  # times that an answer is asked for again if it was cut off, each with twice the tokens
WAY_OUT = (
    "Raise ingestion.max_output_tokens, choose a model that answers at greater length, or say less in a turn."
)


def ask(
    question: Question, given: IngestionInput, log: CallLog, *, purpose: str, parse: Callable[[str], T]
) -> T:
    """Ask, and parse the answer. Raises UnparsableAnswer if the second is no better; ProviderError."""
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
    """An empty answer as an example, as small models otherwise say in words that there is nothing."""
    name = _list_of(question)
    return f': {{"{name}": []}} if there is nothing' if question.guided and name else ""


def _list_of(question: Question) -> str:
    """The name of the list that the answer must have; "" if its form is free."""
    schema = question.tool.parameters if question.tool else question.schema
    return str(schema["required"][0]) if schema else ""


def ask_back(
    question: Question, given: IngestionInput, log: CallLog, *, answered: str, complaint: str, purpose: str
) -> str:
    """Send the model a complaint about an answer that could be parsed; return its new answer. Raises ProviderError."""
    request = build_request(given, question)
    history = (("assistant", answered[:SHOWN_BACK]), ("user", complaint))
    return log.ask(replace(request, history=history), given, purpose=purpose_of(question, purpose)).text


def purpose_of(question: Question, purpose: str) -> str:
    """The purpose of a call in a trace. The strategy `operations` asks only one question; others name theirs."""
    if question.task == "operations":
        return purpose
    return question.task if purpose == "ingestion" else f"{question.task} {purpose}"


def _ask_with_room(
    request: CompletionRequest, question: Question, given: IngestionInput, log: CallLog, purpose: str
) -> tuple[Completion, CompletionRequest]:
    """Return the answer, and the request that had enough output tokens for it. Raises ProviderError.

    Not for several turns, as the pipeline reads fewer at once instead. Nor if the answer repeats itself, as with more
    tokens it would go on.
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
