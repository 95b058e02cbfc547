"""Two calls: the first extracts atomic facts, the second decides what they do to similar entries.

After Case.dev, but with one decision call for all facts of a batch instead of one each, in which the entries similar to
any of them are shown together: so the entry that should be replaced is shown far more often than by cosine alone.
A batch without facts costs one call and no embedding, as does one whose facts are known word for word or resemble no
entry.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory.entries.fingerprint import content_hash
from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import few_entries, find_candidates, has_entries
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.items import confidence_in
from memory.ingestion.operations import Operation, check_each, parse_answer, understand
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.asking import ask_for_operations
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.ingestion.strategies.deciding import decide_on, forgets, numbered, rest_on_all
from memory.ingestion.vectors import TextVectors, embed_texts
from memory.models import USER_SUBJECT, ScratchpadEntry
from memory.schema_parts import NUMBERS, TEXT, WISHES, answer_of, list_of, number

# Call 1 of two_call: the atomic facts of the messages. No entries are shown.
#
# A fact with `forget` names what the person asks to forget; it is never kept itself.
EXTRACT_SCHEMA: dict[str, Any] = answer_of(
    facts=list_of(
        {
            "content": TEXT,
            "type": TEXT,
            "confidence": number(0, 1),
            "importance": number(0, 1),
            "subject": TEXT,
            "forget": {"type": "boolean"},
            "happens_at": TEXT,
            "expires_at": TEXT,
            "messages": NUMBERS,
        },
        required=["content", "type", "confidence", "messages"],
    ),
    wishes=WISHES,
)

# Call 2 of two_call: what each fact does to the entries shown. Facts and entries are numbers.
#
# ADD     a new entry; `content` is its text (default: the fact's)
# UPDATE  `entry` says it more fully or has changed; `content` is its whole merged text (default: the fact's)
# DELETE  `entry` is contradicted: it leaves, and `content` (default: the fact's) is added in its place. Where `content`
#         is "", or the fact is a wish to forget, nothing takes its place. A fact that ends several entries has a
#         decision for each; only the first may be anything else
# NONE    an entry says it already
DECIDE_SCHEMA: dict[str, Any] = answer_of(
    decisions=list_of(
        {
            "fact": {"type": "integer"},
            "op": {"type": "string", "enum": ["ADD", "UPDATE", "DELETE", "NONE"]},
            "entry": {"type": "integer", "description": "number of the shown entry; not for ADD"},
            "content": TEXT,
            "reason": TEXT,
        },
        required=["fact", "op"],
    )
)
AGAIN = (
    "Give the decisions on these entries again, and no others, with that put back in. Leave out only what the facts "
    "contradict; where all that the entry said has ended, use DELETE with the new text."
)
EXTRACT = Question("extract", "extract.md", "The facts, as JSON:", EXTRACT_SCHEMA)


class TwoCallStrategy(Strategy):
    slug = "two_call"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        extracted = ask_for_operations(
            EXTRACT,
            replace(given, entries=()),
            log,
            purpose=purpose,
            check=lambda text: check_each(
                parse_answer(text, "facts"), given, lambda item: _extracted(item, given)
            ),
            again=AGAIN,
        )
        items = [item for item in extracted if item.op == "refused"]
        facts = [item for item in extracted if item.op != "refused"]
        known = _known_exactly(given, facts)
        items += known
        open_facts = [fact for fact in facts if fact not in known]
        shown, vectors = _like(given, open_facts)
        if not shown:
            # What resembles no entry is new, or there is nothing to forget.
            nothing = "nothing like it is remembered"
            items += [fact.refused(nothing) if forgets(fact) else fact for fact in open_facts]
            return Proposal((), items, vectors)
        given = replace(given, entries=shown)
        return Proposal(shown, [*items, *_decide(given, open_facts, log, purpose)], vectors)


def _extracted(item: dict[str, Any], given: IngestionInput) -> Operation:
    remarks: list[str] = []
    confidence = confidence_in(item, given.ingestion.two_call.confident_from, remarks)
    fact = understand({**item, "op": "add"}, given, "add")
    return replace(fact, confidence=confidence, remarks=(*remarks, *fact.remarks))


def _known_exactly(given: IngestionInput, facts: Sequence[Operation]) -> list[Operation]:
    """The facts that an active entry says word for word, on which no model needs to decide."""
    hashes = {content_hash(fact.content) for fact in facts}
    rows = ScratchpadEntry.objects.for_relationship(given.relationship_id).active()
    said = {
        (subject, bytes(hashed))
        for subject, hashed in rows.filter(content_hash__in=hashes).values_list("subject", "content_hash")
    }
    return [
        fact
        for fact in facts
        if not forgets(fact) and (fact.subject or USER_SUBJECT, content_hash(fact.content)) in said
    ]


def _like(
    given: IngestionInput, facts: Sequence[Operation]
) -> tuple[tuple[ShownEntry, ...], TextVectors | None]:
    """The entries that any of the facts may change, and the facts' vectors, from one batch."""
    texts = [fact.content for fact in facts]
    similar_from = given.ingestion.two_call.similar_from
    few = few_entries(given) if texts and similar_from is None else None
    if not texts or few is not None or not has_entries(given):
        return few or (), None
    vectors = embed_texts(given, texts)
    if similar_from is None or vectors is None:
        return find_candidates(given, texts, by_meaning=vectors is not None, vectors=vectors), vectors
    found = find_candidates(given, texts, ranker="cosine", min_score=similar_from, vectors=vectors)
    return found, vectors


def _decide(given: IngestionInput, facts: Sequence[Operation], log: CallLog, purpose: str) -> list[Operation]:
    question = Question(
        "decide",
        "decide.md",
        "The decisions, as JSON:",
        DECIDE_SCHEMA,
        guided=False,
        shows_types=False,
        shows_messages=False,
        facts=tuple(numbered(fact, number) for number, fact in enumerate(facts, start=1)),
    )
    items = ask_for_operations(
        question,
        given,
        log,
        purpose=purpose,
        check=lambda text: decide_on(facts, parse_answer(text, "decisions"), given),
        again=AGAIN,
    )
    return rest_on_all(items)
