"""Ask a model for operations, as JSON.

If the answer can't be parsed, the model is asked once more with the complaint; if it was cut off, with more output
tokens, unless it only repeated itself. An answer is sent back once for operations, types and messages that do not
exist, once for what the person takes back in the next message, and once for what its updates have lost.
"""

from collections.abc import Callable
from dataclasses import replace

from memory.entries.fingerprint import content_hash
from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.configuration import MOST_OUTPUT_TOKENS
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import NO_NUMBERS, NO_OPERATION, NO_TYPE, NOT_SHOWN
from memory.ingestion.mistyped_numbers import as_were_said
from memory.ingestion.operations import Operation
from memory.ingestion.prompt import Question, build_request
from memory.ingestion.strategies.lossy_updates import CHANGES, SendBack, ask_about_losses
from memory.ingestion.strategies.taken_back import ask_about_taken_back
from providers.errors import AnswerTruncated, ProviderError, RequestRefused
from providers.llm.base import Completion, CompletionRequest
from providers.llm.json_text import closed_loop

SHOWN_BACK = 8000  # characters of an answer that is sent back
MORE_ROOM = 2  # times that an answer is asked for again if it was cut off, each with twice the tokens
WAY_OUT = (
    "Raise ingestion.max_output_tokens, choose a model that answers at greater length, or say less in a turn."
)


def ask_for_operations(
    question: Question,
    given: IngestionInput,
    log: CallLog,
    *,
    purpose: str,
    check: Callable[[str], list[Operation]],
    again: str,
    reasoned: bool = False,
) -> list[Operation]:
    """Ask, and make operations of the answer with `check`, which raises UnparsableAnswer. `again`, `reasoned`: see
    ask_about_losses; if reasoned, the model is also asked about what was taken back. Raises UnparsableAnswer if the
    second answer is no better; ProviderError.
    """

    def read(answer: str) -> list[Operation]:
        return as_were_said(check(answer), given)

    request = build_request(given, question)
    completion, roomy = _ask_with_room(request, question, given, log, purpose)
    text = completion.text
    try:
        items = read(text)
    except UnparsableAnswer as error:
        name = _list_of(question)
        # An empty answer as an example, as small models otherwise say in words that there is nothing.
        shape = f': {{"{name}": []}} if there is nothing' if question.guided and name else ""
        complaint = f"{error} Answer again, with the JSON object only{shape}."
        repair = replace(roomy, history=(("assistant", text[:SHOWN_BACK]), ("user", complaint)))
        text = log.ask(repair, given, purpose=purpose_of(question, "repair")).text
        items = read(text)

    def answer_to(complaint: str, why: str) -> list[Operation] | None:
        told = f"Before anything is applied: {complaint}"
        back = replace(request, history=(("assistant", text[:SHOWN_BACK]), ("user", told)))
        try:
            return read(log.ask(back, given, purpose=purpose_of(question, why)).text)
        except (ProviderError, UnparsableAnswer):  # stored with the call; the answer is applied without it
            return None

    def send_back(complaint: str, why: str) -> list[Operation]:
        return answer_to(complaint, why) or []

    items = _ask_about_refused(items, given, send_back)
    if reasoned:
        items = ask_about_taken_back(items, given, answer_to)
    return ask_about_losses(items, given, text, send_back, again=again, reasoned=reasoned)


def _ask_about_refused(items: list[Operation], given: IngestionInput, send_back: SendBack) -> list[Operation]:
    """Ask the model once for what items have none of that exists: an operation, a type, messages. If the new answer has
    none either, the item stays refused, as silently choosing one might be wrong.
    """
    lacking = [item for item in items if _lacks(item)]
    if not lacking:
        return items
    told = "\n".join(f"- {item.raw['content']}: {item.reason}" for item in lacking)
    messages = any(_lacked_by(item) == "messages were" for item in lacking)
    which = f" The new messages are [1] to [{len(given.messages)}]." if messages else ""
    again = send_back(
        f"no entry is made of these.\n{told}\nGive these again, and no others.{which}", "refused"
    )
    changed = {item.entry for item in items if item.entry is not None}
    better = {
        content_hash(item.content): item
        for item in again
        if item.op in ("add", *CHANGES) and (item.entry is None or item.entry not in changed)
    }

    def completed(item: Operation) -> Operation:
        if not _lacks(item):
            return item
        found = better.pop(content_hash(" ".join(item.raw["content"].split())), None)
        if found is None:
            return item
        return replace(found, remarks=(*found.remarks, f"its {_lacked_by(item)} sent back once"))

    return [completed(item) for item in items]


def _lacks(item: Operation) -> bool:
    """Return whether it was refused for what another answer may put right."""
    content = item.raw.get("content") if isinstance(item.raw, dict) else None
    return item.op == "refused" and isinstance(content, str) and bool(_lacked_by(item))


def _lacked_by(item: Operation) -> str:
    if item.reason in (NO_NUMBERS, NOT_SHOWN):
        return "messages were"
    return "type was" if NO_TYPE in item.reason else "op was" if NO_OPERATION in item.reason else ""


def _list_of(question: Question) -> str:
    """The name of the list that the answer must have; "" if its form is free."""
    schema = question.tool.parameters if question.tool else question.schema
    return str(schema["required"][0]) if schema else ""


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
