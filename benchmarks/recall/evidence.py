"""Evidence recall: how many of a question's evidence turns are among the first 10 and 20 results."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.recall.sets import Said, Talk
from benchmarks.runner import say
from benchmarks.seed import Line, make_pair, store_messages
from memory.models import Embedding, SearchedKind, SearchText
from memory.retrieval.columns import Columns, SearchQuery, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.backfill import rebuild_index
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.questions import Participants, Prepared, prepare_questions, read_participants
from memory.retrieval.rankers.base import Candidates, Question, Ranker
from memory.retrieval.rankers.best import BestRanker
from memory.retrieval.ranking import Cut, Ranking
from memory.retrieval.results import EntryFilters, MessageFilters
from memory.retrieval.search import search_messages
from providers.embeddings.registry import embedder_of
from relationships.models import Message, MessageRole, Relationship

CUTS = (10, 20)
NOW = datetime(2024, 6, 1, tzinfo=UTC)  # after every message
Recalls = NDArray[np.float64]  # one row per question, one column per cut


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question as a ranker receives it, with the rows that are its evidence."""

    candidates: Candidates
    question: Question
    talk: str
    category: int
    evidence: frozenset[int]

    def recall(self, ranker: Ranker) -> list[float]:
        scores = ranker.rank(self.candidates, self.question, NOW)
        return shares(self.evidence, scores.best_first(np.flatnonzero(scores.kept)).tolist())


def pose(
    relationship: Relationship,
    kind: SearchedKind,
    prepared: Prepared,
    participants: Participants,
    retrieval: Retrieval,
    filters: EntryFilters | MessageFilters,
    *,
    ranker: Ranker | None = None,
) -> tuple[Columns, Ranking]:
    """Read what the product's search reads for a question. `ranker`: `best` by default."""
    words, vectors = prepared.words, prepared.vectors
    columns = read_columns(
        SearchQuery(relationship.id, kind, words, retrieval.language, filters, NOW, vectors=vectors)
    )
    cut = Cut(max(CUTS), None)
    ranker = ranker or BestRanker()
    return columns, Ranking(columns, prepared, participants, retrieval, ranker, cut, NOW)


def pose_questions(talks: Sequence[Talk], retrieval: Retrieval) -> list[Labelled]:
    """Store the conversations as a worker leaves them, and pose every question."""
    posed = []
    for talk in talks:
        say(f"asking LoCoMo: {talk.name}")
        posed += _pose_questions(talk, retrieval)
    return posed


def _pose_questions(talk: Talk, retrieval: Retrieval) -> list[Labelled]:
    user, companion = talk.speakers
    relationship = pair_of(talk.name, retrieval, user=user, companion=companion)
    messages = store(relationship, talk.turns, user=user)
    rebuild_index(relationship.id)
    embed_all(relationship, SearchedKind.MESSAGE, retrieval, len(messages))
    ids = {turn.id: message.id for turn, message in zip(talk.turns, messages, strict=True)}
    participants = read_participants(
        project_id=relationship.project_id, relationship_id=relationship.id, kind=SearchedKind.MESSAGE
    )
    spoken = retrieval.spoken_in(participants.language)
    labelled = []
    for asked in talk.questions:
        prepared = prepare_questions(
            [asked.text], names=participants.names, embedder=spoken.embedder, seconds=spoken.query_seconds
        )
        if prepared.notes:
            raise RuntimeError(" ".join(prepared.notes))
        columns, ranking = pose(
            relationship, SearchedKind.MESSAGE, prepared, participants, spoken, MessageFilters()
        )
        rows = {id: row for row, id in enumerate(columns.ids_of(np.s_[:]))}
        evidence = frozenset(rows[ids[turn]] for turn in asked.evidence)
        labelled.append(Labelled(*ranking.posed(0), talk.name, asked.category, evidence))
        # The first questions are also asked through the product's search, which has to give the same recall.
        wanted = {ids[turn] for turn in asked.evidence}
        if len(labelled) <= 10 and labelled[-1].recall(BestRanker()) != shares(
            wanted, found(relationship, asked.text, spoken)
        ):
            raise RuntimeError(f"The search answers {asked.text!r} differently than was measured.")
    return labelled


def shares(wanted: Collection[Any], found: Sequence[Any]) -> list[float]:
    """The share (0..1) of `wanted` among the first of `found`, for each cut."""
    return [len(set(wanted) & set(found[:cut])) / len(wanted) for cut in CUTS]


def found(relationship: Relationship, text: str, retrieval: Retrieval) -> list[UUID]:
    """IDs of the messages that the product's search finds, best first."""
    hits = search_messages(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        text=text,
        retrieval=retrieval,
        top_k=max(CUTS),
        now=NOW,
    ).hits
    return [hit.id for hit in hits]


def pair_of(name: str, retrieval: Retrieval, *, user: str, companion: str) -> Relationship:
    config = {"retrieval": retrieval.model_dump(mode="json", exclude_defaults=True)}
    return make_pair(name, config, user=user, companion=companion)


def store(relationship: Relationship, said: Sequence[Said], *, user: str) -> list[Message]:
    """Store messages. `user`: the speaker who is the person."""
    roles = {user: MessageRole.USER}
    return store_messages(
        relationship,
        (
            Line(one.session, roles.get(one.speaker, MessageRole.ASSISTANT), one.content, one.said_at)
            for one in said
        ),
    )


def embed_all(relationship: Relationship, kind: SearchedKind, retrieval: Retrieval, texts: int) -> None:
    """Embed as the worker does, if there is an embedder. Raises RuntimeError if a text has no vector at the end."""
    if embedder_of(retrieval.embedder) is None:
        return
    vectors = Embedding.objects.for_relationship(relationship.id).filter(kind=kind)
    before, there = -1, vectors.count()
    while before < there:
        embed_owed(relationship_id=relationship.id)
        before, there = there, vectors.count()
    if there < texts:
        errors = SearchText.objects.for_relationship(relationship.id).values_list("error_code", flat=True)
        raise RuntimeError(f"{texts - there} of {texts} texts have no vector: {', '.join(set(errors))}")
