"""Evidence recall: of a question's evidence turns, how many are among the first ten, and twenty."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from benchmarks.recall.sets import Talk
from benchmarks.seed import Line, make_companion, make_relationships, store_messages
from memory.models import Embedding, SearchedKind, SearchText
from memory.retrieval.columns import Columns, SearchQuery, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import RelationshipConfig
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.index.language import keep_language
from memory.retrieval.index.write import index_again
from memory.retrieval.questions import Participants, Prepared, prepare_questions, read_participants
from memory.retrieval.rankers.base import Candidates, Question, Ranker
from memory.retrieval.rankers.best import BestRanker
from memory.retrieval.ranking import Cut, Ranking
from memory.retrieval.results import EntryFilters, MessageFilters
from memory.retrieval.search import search_messages
from providers.embeddings.registry import embedder_of
from relationships.models import MessageRole, Relationship

CUTS = (10, 20)
NOW = datetime(2024, 6, 1, tzinfo=UTC)  # after all that was said
Recalls = NDArray[np.float64]  # a row for each question, a column for each cut


class Posed(NamedTuple):
    """A question over what is stored."""

    columns: Columns
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question as a ranker sees it, with the rows that are its evidence."""

    candidates: Candidates
    question: Question
    talk: str
    category: int
    evidence: frozenset[int]


def pose(
    relationship: Relationship,
    kind: SearchedKind,
    prepared: Prepared,
    participants: Participants,
    retrieval: Retrieval,
    filters: EntryFilters | MessageFilters,
    *,
    ranker: Ranker | None = None,
) -> Posed:
    """Read for a question what the product's search reads. `ranker`: who ranks it; `best` by default."""
    words, vectors = prepared.words, prepared.vectors
    columns = read_columns(
        SearchQuery(relationship.id, kind, words, retrieval.language, filters, NOW, vectors=vectors)
    )
    cut = Cut(max(CUTS), None)
    return Posed(
        columns, Ranking(columns, prepared, participants, retrieval, ranker or BestRanker(), cut, NOW)
    )


def pose_questions(talk: Talk, retrieval: Retrieval, *, find_language: bool = True) -> list[Labelled]:
    """Store the conversation, and pose every question. `find_language`: from what was said, as a worker does."""
    relationship = make_pair(
        talk.name, user=talk.speakers[0], companion=talk.speakers[1], retrieval=retrieval
    )
    messages = _store(talk, relationship, retrieval, find_language=find_language)
    participants = read_participants(
        project_id=relationship.project_id, relationship_id=relationship.id, kind=SearchedKind.MESSAGE
    )
    retrieval = retrieval.spoken_in(participants.language)
    labelled = []
    for asked in talk.questions:
        prepared = prepare_questions(
            [asked.text],
            names=participants.names,
            embedder=retrieval.embedder,
            seconds=retrieval.query_seconds,
        )
        if prepared.notes:
            raise RuntimeError(" ".join(prepared.notes))
        columns, ranking = pose(
            relationship, SearchedKind.MESSAGE, prepared, participants, retrieval, MessageFilters()
        )
        rows = {id: row for row, id in enumerate(columns.ids_of(np.s_[:]))}
        evidence = frozenset(rows[messages[turn]] for turn in asked.evidence)
        labelled.append(Labelled(*ranking.posed(0), talk.name, asked.category, evidence))
    _check(talk, relationship, retrieval, labelled, messages)
    return labelled


def recalls(labelled: Sequence[Labelled], ranker: Ranker) -> Recalls:
    return np.array([_recall(one, ranker) for one in labelled])


def make_pair(name: str, *, user: str, companion: str, retrieval: Retrieval) -> Relationship:
    told = make_companion(name, {"retrieval": retrieval.model_dump(mode="json", exclude_defaults=True)})
    told.name = companion
    told.save()
    return make_relationships(told, ["user"], name=user)[0]


def embed_all(relationship: Relationship, kind: SearchedKind, retrieval: Retrieval, texts: int) -> None:
    """As the worker does; nothing where there is no embedder. A text without a vector would change the figures."""
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


def _store(
    talk: Talk, relationship: Relationship, retrieval: Retrieval, *, find_language: bool
) -> dict[str, UUID]:
    """The message of each turn. The first speaker is the user."""
    roles = {talk.speakers[0]: MessageRole.USER}
    messages = store_messages(
        relationship,
        (
            Line(turn.session, roles.get(turn.speaker, MessageRole.ASSISTANT), turn.content, turn.said_at)
            for turn in talk.turns
        ),
    )
    if find_language:
        keep_language(relationship.id)
    own = RelationshipConfig(relationship.id, relationship.project_id, (), retrieval)
    index_again(own, SearchedKind.MESSAGE, [message.id for message in messages], now=timezone.now())
    embed_all(relationship, SearchedKind.MESSAGE, retrieval, len(messages))
    return {turn.id: message.id for turn, message in zip(talk.turns, messages, strict=True)}


def _recall(labelled: Labelled, ranker: Ranker) -> list[float]:
    scores = ranker.rank(labelled.candidates, labelled.question, NOW)
    best = scores.best_first(np.flatnonzero(scores.kept))
    return [len(labelled.evidence & set(best[:cut].tolist())) / len(labelled.evidence) for cut in CUTS]


def _check(
    talk: Talk,
    relationship: Relationship,
    retrieval: Retrieval,
    labelled: Sequence[Labelled],
    messages: dict[str, UUID],
) -> None:
    """What is measured is what a search answers: the first questions are asked once more, by its front door."""
    for asked, one in list(zip(talk.questions, labelled, strict=True))[:10]:
        found = search_messages(
            project_id=relationship.project_id,
            relationship_id=relationship.id,
            text=asked.text,
            retrieval=retrieval,
            top_k=max(CUTS),
            now=NOW,
        )
        ids = [hit.id for hit in found.hits]
        wanted = {messages[turn] for turn in asked.evidence}
        answered = [len(wanted & set(ids[:cut])) / len(wanted) for cut in CUTS]
        if answered != _recall(one, BestRanker()):
            raise RuntimeError(f"The search answers {asked.text!r} otherwise than was measured.")
