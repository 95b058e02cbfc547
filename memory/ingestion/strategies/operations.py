"""One call a batch: the model sees the whole scratchpad and answers with operations.

Where there is an archive, it also sees what a search finds there for the new messages, so that it can change that.
An update whose text has lost names, numbers or dates of the old one is sent back once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import find_candidates, texts_of
from memory.ingestion.erosion import lost_details
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation, Refusal, check_operations, parse_answer
from memory.ingestion.prompt import OPERATIONS, Question, answer_schema
from memory.ingestion.strategies.asking import ask, ask_back
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.models import USER_SUBJECT, Tier
from providers.errors import ProviderError

Items = list[Operation | Refusal]
Lost = Mapping[int, tuple[str, ...]]  # details, by the number of the entry


class OperationsStrategy(Strategy):
    slug = "operations"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        if given.has_archive:
            found = find_candidates(given, texts_of(given), tiers=(Tier.ARCHIVE,))
            given = replace(given, entries=(*given.entries, *found))
        question = _question(tuple(entry_type.name for entry_type in given.ingestion.types))
        text, raw = ask(question, given, log, purpose=purpose, parse=lambda text: (text, parse_answer(text)))
        items = check_operations(raw, given)
        if lost := lost_in(items, given):
            items = _mended(items, lost, _asked_again(question, given, log, text, lost), given)
        return Proposal(given.entries, items, given.tier)


def lost_in(items: Sequence[Operation | Refusal], given: IngestionInput) -> dict[int, tuple[str, ...]]:
    """What each update has lost of the text of the entry it updates, by the entry's number."""
    lost: dict[int, tuple[str, ...]] = {}
    for item in items:
        if isinstance(item, Operation) and item.op == "update" and item.entry is not None:
            entry = given.entries[item.entry - 1]
            names = (entry.subject,) if entry.subject != USER_SUBJECT else ()
            said = f"{item.content} {item.happens_at or ''}"
            if details := lost_details(entry.content, said, names=names):
                lost[item.entry] = details
    return lost


@lru_cache(maxsize=64)
def _question(types: tuple[str, ...]) -> Question:
    return replace(OPERATIONS, schema=answer_schema(types))


def _asked_again(
    question: Question, given: IngestionInput, log: CallLog, text: str, lost: Lost
) -> dict[int, Operation]:
    """The operations as the model gives them when it is told what they lose, by entry; none where that fails."""
    told = "\n".join(f"- entry {entry}: {'; '.join(details)}" for entry, details in lost.items())
    complaint = (
        f"Before anything is applied: the new texts of these entries leave out what the old ones say.\n{told}\n"
        "Give the operations on these entries again, and no others, with that put back in. Leave out only what the new "
        "messages contradict; where all that the entry said has ended, use replace."
    )
    try:
        answer = ask_back(question, given, log, answered=text, complaint=complaint, purpose="left out")
        again = check_operations(parse_answer(answer), given)
    except (ProviderError, UnparsableAnswer):  # kept with its call; the operations are applied as they were
        return {}
    return {
        item.entry: item
        for item in again
        if isinstance(item, Operation) and item.op in ("update", "replace") and item.entry is not None
        if item.entry in lost
    }


def _mended(items: Items, lost: Lost, again: Mapping[int, Operation], given: IngestionInput) -> Items:
    still = lost_in(list(again.values()), given)

    def mended(item: Operation | Refusal) -> Operation | Refusal:
        entry = item.entry if isinstance(item, Operation) and item.op == "update" else None
        if not isinstance(item, Operation) or entry is None or entry not in lost:
            return item
        better = again.get(entry, item)
        if details := still.get(entry, ()) if entry in again else lost[entry]:
            remark = f"leaves out what the old text said, after it was sent back once: {', '.join(details)}"
        else:
            remark = f"was sent back once for what it left out: {', '.join(lost[entry])}"
        return replace(better, remarks=(*better.remarks, remark))

    return [mended(item) for item in items]
