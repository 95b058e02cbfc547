"""A cheap model sorts what was said into categories; most turns have nothing to keep, and cost only one small call.

After Cereby: what the model is sure enough of is kept, with its category's weight, unless an entry is nearly the same
by cosine. What is skipped for that can be restored, as cosine can't tell a repetition from a negation.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from memory.entries.happens import span_of
from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import candidate_retrieval, has_entries, likely_entries
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import confidence_in
from memory.ingestion.operations import Operation
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.ingestion.strategies.memories import ask_for_memories, memories_schema, statement
from memory.ingestion.strategies.options import ClassifierOptions
from memory.ingestion.vectors import TextVectors, embed_texts
from memory.retrieval.search import search_entries_for
from memory.schema_parts import number

# The only call of classifier: what in the messages belongs to a category (`type`), and how sure that is.
CLASSIFY_SCHEMA = memories_schema("type", "confidence", confidence=number(0, 1))
# The type of what is worthless some days after its date. What happened or began on a day stays true.
SCHEDULE = "schedule"


class ClassifierStrategy(Strategy):
    slug = "classifier"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        """Before the call, entries are searched by words only, so that a turn with nothing to keep embeds nothing."""
        likely = likely_entries(given, by_meaning=False)
        shown = replace(given, entries=likely)
        model = given.ingestion.classifier.model
        question = Question("classify", "classify.md", "The memories, as JSON:", CLASSIFY_SCHEMA, model=model)
        items = ask_for_memories(
            question, shown, log, purpose=purpose, keep=lambda item: _classified(item, shown)
        )
        added = dict.fromkeys(item.content for item in items if item.op == "add")
        # Of what would be added, if there is anything to compare it with.
        vectors = embed_texts(given, list(added)) if has_entries(given) else None
        return Proposal(likely, _without_near(items, vectors, given), vectors)


def _classified(item: dict[str, Any], given: IngestionInput) -> Operation:
    options = given.ingestion.classifier
    operation = statement(item, given)
    confidence = confidence_in(item, options.confident_from)
    weight = options.weights.get(operation.type, options.weight_otherwise) if operation.type else None
    before = given.entries[operation.entry - 1].type if operation.entry else ""
    type = operation.type or before
    expires_at = _over_at(operation, options, given.timezone) if type == SCHEDULE else None
    cleared = ("expires_at",) if before == SCHEDULE != type else ()
    return replace(
        operation, importance=weight, confidence=confidence, expires_at=expires_at, cleared=cleared
    )


def _over_at(operation: Operation, options: ClassifierOptions, timezone: str) -> datetime | None:
    if operation.happens_at is None or options.schedule_days is None:
        return None
    try:
        begins, ends = span_of(operation.happens_at, timezone)
        return max(begins, ends - timedelta(days=1)) + timedelta(days=options.schedule_days)
    except OverflowError:
        return None


def _without_near(
    items: list[Operation], vectors: TextVectors | None, given: IngestionInput
) -> list[Operation]:
    """Skip what is nearly the same as an entry, naming the entry and the similarity. Only entries with a vector count;
    others would be ranked by words, without a real similarity.
    """
    if vectors is None:
        return items
    found = search_entries_for(
        vectors.texts,
        project_id=given.project_id,
        relationship_id=given.relationship_id,
        retrieval=candidate_retrieval(given, by_meaning=True),
        top_k=1,
        ranker="cosine",
        now=timezone.now(),
        question=vectors.embedded,
        compared=True,
    )
    pairs = zip(vectors.texts, found, strict=True)
    nearest = {text: result.hits[0] for text, result in pairs if result.space is not None and result.hits}

    def judged(item: Operation) -> Operation:
        hit = nearest.get(item.content) if item.op == "add" else None
        if hit is None or hit.score <= given.ingestion.classifier.skip_above:
            return item
        return replace(item, op="none", reason=f"is like entry {hit.id} by a cosine of {hit.score:.3f}")

    return [judged(item) for item in items]
