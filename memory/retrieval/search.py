"""The entry points for searching entries and messages: for REST, contexts, strategies and the admin pages.

A search inside a relationship is exact over its own rows: one statement reads the participants, one reads columns of
numbers, and a ranker orders them (memory/retrieval/rankers/); a reranker may then reorder the first of them
(memory/retrieval/reranking.py). For the ranker `decay` and many entries, decayed vectors choose the candidates first,
and only those are read (memory/retrieval/decayed_vectors.py).
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Required, TypedDict, Unpack
from uuid import UUID

from memory.models import SearchedKind
from memory.retrieval.columns import Filters, SearchQuery, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.decayed_vectors import decay_candidates
from memory.retrieval.questions import LONGEST_QUESTION, Participants, prepare_questions, read_participants
from memory.retrieval.ranking import Cut, Ranking, wanted_ranker
from memory.retrieval.rerankers.base import RERANKED, Asked
from memory.retrieval.reranking import rerank
from memory.retrieval.results import EntryFilters, MessageFilters, SearchResult
from providers.embeddings.base import Embedded
from relationships.configuration.schema import Configuration

TEXTS_AT_ONCE = 50  # each adds a column to the statement
ANY_ENTRY, ANY_MESSAGE, DEFAULT_MODEL = EntryFilters(), MessageFilters(), Asked()


class SearchParams(TypedDict, total=False):
    """How to search. What is None or missing is as `retrieval` says.

    `question`: the texts' vectors, if they are known already; `participants`: the same, which saves a statement.
    `compared`: only find what has a vector that was compared. `fill`: without vectors, what shares no word with the
    text follows, newest first, as with vectors everything would be ranked. `asked`: the language model that reranks, if
    the configuration says so.
    """

    project_id: Required[UUID]
    relationship_id: Required[UUID]
    retrieval: Required[Retrieval]
    now: Required[datetime]
    top_k: int | None
    ranker: str | None
    min_score: float | None
    min_fit: float | None
    question: Embedded | None
    participants: Participants | None
    compared: bool
    fill: bool
    asked: Asked


def params_of(
    configuration: Configuration, *, project_id: UUID, relationship_id: UUID, now: datetime
) -> SearchParams:
    """How to search under a configuration: reranked, if at all, by the model that reads the turns."""
    return {
        "project_id": project_id,
        "relationship_id": relationship_id,
        "retrieval": configuration.retrieval,
        "asked": Asked(configuration.ingestion.provider, configuration.ingestion.model),
        "now": now,
    }


def search_entries(
    *, text: str, filters: EntryFilters = ANY_ENTRY, **params: Unpack[SearchParams]
) -> SearchResult:
    """The entries that match `text`, best first.

    Raises InvalidInput for an empty text, an unknown ranker, or one that needs vectors without an embedder; NotFound.
    """
    return _search([text], SearchedKind.ENTRY, filters, reranks=True, **params)[0]


def search_messages(
    *, text: str, filters: MessageFilters = ANY_MESSAGE, **params: Unpack[SearchParams]
) -> SearchResult:
    """The same for messages, which have no importance and no weight. `top_k` None: `retrieval.top_messages`."""
    if params.get("top_k") is None:
        params["top_k"] = params["retrieval"].top_messages
    return _search([text], SearchedKind.MESSAGE, filters, reranks=True, **params)[0]


def search_entries_for(
    texts: Sequence[str], *, filters: EntryFilters = ANY_ENTRY, **params: Unpack[SearchParams]
) -> list[SearchResult]:
    """The same for several texts, in order. Every 50 of them take one call of the embedder and as many statements as a
    single one. There is no reranking.
    """
    question = params.pop("question", None)
    found: list[SearchResult] = []
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        some = slice(start, start + TEXTS_AT_ONCE)
        params["question"] = question and replace(question, vectors=question.vectors[some])
        found += _search(texts[some], SearchedKind.ENTRY, filters, **params)
    return found


def _search(
    texts: Sequence[str],
    kind: SearchedKind,
    filters: Filters,
    *,
    project_id: UUID,
    relationship_id: UUID,
    retrieval: Retrieval,
    now: datetime,
    top_k: int | None = None,
    ranker: str | None = None,
    min_score: float | None = None,
    min_fit: float | None = None,
    question: Embedded | None = None,
    participants: Participants | None = None,
    compared: bool = False,
    fill: bool = False,
    asked: Asked = DEFAULT_MODEL,
    reranks: bool = False,
) -> list[SearchResult]:
    started = time.perf_counter()
    wanted = wanted_ranker(ranker or retrieval.ranker, retrieval, given=question)
    participants = participants or read_participants(
        project_id=project_id, relationship_id=relationship_id, kind=kind
    )
    retrieval = retrieval.spoken_in(participants.language)
    prepared = prepare_questions(
        [participants.by_all_names(text) for text in texts],
        names=participants.names,
        embedder=retrieval.embedder,
        seconds=retrieval.query_seconds,
        given=question,
    )
    if wanted.sums_text:
        prepared = prepared.beside_text()
    vectors, language = prepared.vectors, retrieval.language
    query = SearchQuery(relationship_id, kind, prepared.words, language, filters, now, vectors)
    if wanted.slug == "decay":
        query = replace(query, only=decay_candidates(query, half_life_days=retrieval.half_life_days))
    most = retrieval.top_k if top_k is None else top_k
    least = retrieval.min_score if min_score is None else min_score
    reranks = reranks and retrieval.reranker is not None
    cut = Cut(max(most, RERANKED) if reranks else most, least, compared, fill, min_fit)
    ranking = Ranking(read_columns(query), prepared, participants, retrieval, wanted, cut, now)
    answers = [ranking.answer(number) for number in range(len(texts))]
    if reranks:
        said = texts[0][:LONGEST_QUESTION]
        answers = [rerank(answers[0], said, participants, retrieval, asked, project_id, query, most)]
    milliseconds = (time.perf_counter() - started) * 1000
    return [replace(answer, milliseconds=milliseconds) for answer in answers]
