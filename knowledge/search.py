"""Finds the chunks of a companion's documents that are about a question.

Text and vectors are fused by rank (Cormack, Clarke and Buettcher 2009). That works well for documents, which are long
and use the words of their subject, and the scale of the scores does not depend on the embedder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from uuid import UUID

import numpy as np

from knowledge.configuration import Knowledge
from knowledge.models import DocumentChunk
from knowledge.ranking import Columns, Ranked, rank_chunks, read_columns, significant
from memory.retrieval.questions import prepare_questions
from providers.embeddings.base import Embedded, Space
from providers.embeddings.registry import near_from


@dataclass(frozen=True, slots=True)
class KnowledgeHit:
    """A chunk with its document, its score, and the parts of the score."""

    chunk: DocumentChunk
    score: float
    parts: Mapping[str, float]

    @property
    def citation(self) -> str:
        return cite(self.chunk.document.name, self.chunk.page_from, self.chunk.page_to)


@dataclass(frozen=True, slots=True)
class FoundKnowledge:
    """Hits, best first. `space`: of the compared vectors; None: text only. `considered`: how many
    chunks were ranked.
    """

    hits: Sequence[KnowledgeHit]
    space: Space | None
    considered: int
    notes: tuple[str, ...]
    milliseconds: float


def search_knowledge(
    *,
    project_id: UUID,
    companion_id: UUID,
    text: str,
    knowledge: Knowledge,
    seconds: float,
    top_k: int | None = None,
    min_score: float | None = None,
    relevant_only: bool = False,
    names: Sequence[str] = (),
) -> FoundKnowledge:
    """Find at most `top_k` chunks, by an exact search over all of the companion's. Two statements.

    `seconds`: how long to wait for the question's vector; then the search uses text only, and `notes` says so.
    `top_k` and `min_score` default to the configuration's. A companion of another project has no chunks.
    `relevant_only`: leave out chunks that are not relevant enough (knowledge.min_coverage, min_similarity); `names` of
    user and companion don't count for that.
    The first LONGEST_QUESTION characters of `text` are read, and its first MOST_WORDS different words are looked up.
    """
    began = perf_counter()
    asked = prepare_questions([text], embedder=knowledge.embedder_alias, seconds=seconds)
    prepared = asked.beside_text()  # without lexical vectors, which would count words twice
    question, words = prepared.vectors, prepared.words[0]
    relevance = None
    if relevant_only:
        similarity = knowledge.min_similarity
        near = near_from(knowledge.embedder_alias) if similarity is None else similarity
        relevance = (knowledge.min_coverage, near)
    columns = read_columns(
        project_id=project_id,
        companion_id=companion_id,
        words=words,
        told=significant(prepared.texts[0], words, names),
        question=question,
    )
    ranked = rank_chunks(
        columns,
        min_score=knowledge.min_score if min_score is None else min_score,
        min_similarity=knowledge.min_similarity,
        relevance=relevance,
    )
    best = [int(place) for place in ranked.order[: top_k or knowledge.top_k]]
    return FoundKnowledge(
        hits=_hits(columns, ranked, best),
        space=question.space if question else None,
        considered=len(columns.ids),
        notes=prepared.notes + _without_vector(columns, question),
        milliseconds=(perf_counter() - began) * 1000,
    )


def cite(name: str, page_from: int | None, page_to: int | None) -> str:
    """`Handbook.pdf, page 3`, or `pages 3-4`; the name alone for kinds without pages."""
    if page_from is None:
        return name
    if page_to in (None, page_from):
        return f"{name}, page {page_from}"
    return f"{name}, pages {page_from}-{page_to}"


def _without_vector(columns: Columns, question: Embedded | None) -> tuple[str, ...]:
    without = int(np.isnan(columns.cosine).sum())
    if question is None or not without:
        return ()
    return (
        f"{without} of {len(columns.ids)} chunks have no vector of {question.model}: only their text was searched.",
    )


def _hits(columns: Columns, ranked: Ranked, best: Sequence[int]) -> list[KnowledgeHit]:
    """The hits at these places, in order."""
    rows = DocumentChunk.objects.select_related("document").defer("lexemes")
    chunks = rows.in_bulk([columns.ids[place] for place in best])
    hits = []
    for place in best:
        if chunk := chunks.get(columns.ids[place]):  # otherwise it was deleted meanwhile
            parts = {name: float(part[place]) for name, part in ranked.parts.items()}
            known = {name: value for name, value in parts.items() if not np.isnan(value)}
            hits.append(KnowledgeHit(chunk, float(ranked.total[place]), known))
    return hits
