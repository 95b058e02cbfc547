"""The one way to find entries and messages again: for REST, the context, strategies and the admin pages.

A search inside a relationship is exact over its own rows: one statement says who takes part, one reads columns of
numbers, and a ranker orders them (memory/retrieval/rankers/). For the ranker `decay` and many entries, decayed vectors
choose the candidates first, and only those are read (memory/retrieval/decayed_vectors.py).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.models import SearchedKind
from memory.retrieval.columns import Filters, SearchQuery, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.decayed_vectors import decay_candidates
from memory.retrieval.questions import Participants, Prepared, prepare_questions, read_participants
from memory.retrieval.ranking import Cut, Ranking, wanted_ranker
from memory.retrieval.results import EntryFilters, MessageFilters, SearchResult
from providers.embeddings.base import Embedded

TEXTS_AT_ONCE = 50  # each adds a column to the statement
ANY_ENTRY, ANY_MESSAGE = EntryFilters(), MessageFilters()


def search_entries(
    *,
    project_id: UUID,
    relationship_id: UUID,
    text: str,
    retrieval: Retrieval,
    filters: EntryFilters = ANY_ENTRY,
    top_k: int | None = None,
    ranker: str | None = None,
    min_score: float | None = None,
    now: datetime,
    question: Embedded | None = None,
    participants: Participants | None = None,
) -> SearchResult:
    """The entries that answer `text`, best first. What is None is as `retrieval` says; `question`: its vector.

    `participants`: from who knows them already; that saves a statement.

    Raises InvalidInput for an empty text, an unknown ranker, or one that needs vectors where there is no embedder;
    NotFound.
    """
    search = _Search(project_id, relationship_id, SearchedKind.ENTRY, filters, retrieval, now, participants)
    return search.find([text], vectors=question, top_k=top_k, ranker=ranker, min_score=min_score)[0]


def search_messages(
    *,
    project_id: UUID,
    relationship_id: UUID,
    text: str,
    retrieval: Retrieval,
    filters: MessageFilters = ANY_MESSAGE,
    top_k: int | None = None,
    ranker: str | None = None,
    min_score: float | None = None,
    now: datetime,
    question: Embedded | None = None,
) -> SearchResult:
    """The same for messages, which have no importance and no weight. `top_k` None: `retrieval.top_messages`."""
    search = _Search(project_id, relationship_id, SearchedKind.MESSAGE, filters, retrieval, now)
    limit = retrieval.top_messages if top_k is None else top_k
    return search.find([text], vectors=question, top_k=limit, ranker=ranker, min_score=min_score)[0]


def search_entries_for(
    texts: Sequence[str],
    *,
    project_id: UUID,
    relationship_id: UUID,
    retrieval: Retrieval,
    filters: EntryFilters = ANY_ENTRY,
    top_k: int | None = None,
    ranker: str | None = None,
    min_score: float | None = None,
    now: datetime,
    question: Embedded | None = None,
    compared: bool = False,
) -> list[SearchResult]:
    """The same for several texts, in their order: every 50 of them one call of the embedder, and as many statements as
    for one. `question`: their vectors, one for each text. `compared`: only entries whose vectors were compared.
    """
    search = _Search(project_id, relationship_id, SearchedKind.ENTRY, filters, retrieval, now)
    found: list[SearchResult] = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        some = slice(start, start + TEXTS_AT_ONCE)
        vectors = question and replace(question, vectors=question.vectors[some])
        found += search.find(
            texts[some],
            vectors=vectors,
            top_k=top_k,
            ranker=ranker,
            min_score=min_score,
            compared=compared,
        )
    return found


@dataclass(frozen=True, slots=True)
class _Search:
    project_id: UUID
    relationship_id: UUID
    kind: SearchedKind
    filters: Filters
    retrieval: Retrieval
    now: datetime
    participants: Participants | None = None

    def find(
        self,
        texts: Sequence[str],
        *,
        vectors: Embedded | None,
        top_k: int | None,
        ranker: str | None,
        min_score: float | None,
        compared: bool = False,
    ) -> list[SearchResult]:
        started = time.perf_counter()
        wanted = wanted_ranker(ranker or self.retrieval.ranker, self.retrieval, given=vectors)
        participants = self.participants or read_participants(
            project_id=self.project_id, relationship_id=self.relationship_id, kind=self.kind
        )
        prepared = prepare_questions(
            texts, participants=participants, retrieval=self.retrieval, given=vectors
        )
        query = self._query(prepared)
        if wanted.slug == "decay":
            few = decay_candidates(query, half_life_days=self.retrieval.half_life_days)
            query = replace(query, only=few)
        columns = read_columns(query)
        cut = Cut(
            top_k=self.retrieval.top_k if top_k is None else top_k,
            min_score=self.retrieval.min_score if min_score is None else min_score,
            compared=compared,
        )
        ranking = Ranking(columns, prepared, participants, self.retrieval, wanted, cut, self.now)
        answers = [ranking.answer(number) for number in range(len(texts))]
        milliseconds = (time.perf_counter() - started) * 1000
        return [replace(answer, milliseconds=milliseconds) for answer in answers]

    def _query(self, prepared: Prepared) -> SearchQuery:
        return SearchQuery(
            relationship_id=self.relationship_id,
            kind=self.kind,
            words=prepared.words,
            language=self.retrieval.language,
            filters=self.filters,
            now=self.now,
            vectors=prepared.vectors,
        )
