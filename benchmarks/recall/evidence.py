"""Evidence recall: of a question's evidence turns, how many are among the first ten, and twenty."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.recall.locomo import Talk
from benchmarks.recall.store import make_relationship, store_talk
from memory.models import SearchedKind
from memory.retrieval.columns import Sought, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.found import MessageFilters
from memory.retrieval.participants import read_participants
from memory.retrieval.questions import prepare_questions
from memory.retrieval.rankers.base import Candidates, Question, Ranker
from memory.retrieval.rankers.best import BestRanker
from memory.retrieval.ranking import Cut, Ranking
from memory.retrieval.search import search_messages
from relationships.models import Relationship

CUTS = (10, 20)
NOW = datetime(2024, 6, 1, tzinfo=UTC)  # after all that was said
Recalls = NDArray[np.float64]  # a row for each question, a column for each cut


@dataclass(frozen=True, slots=True)
class Posed:
    """A question as a ranker sees it, with the rows that are its evidence."""

    talk: str
    category: int
    candidates: Candidates
    question: Question
    evidence: frozenset[int]


def pose_questions(talk: Talk, retrieval: Retrieval) -> list[Posed]:
    """Store the conversation and read for every question what the product's search reads."""
    first, second = talk.speakers
    relationship = make_relationship(talk.name, user=first, companion=second, retrieval=retrieval)
    messages = store_talk(talk, relationship, retrieval)
    participants = read_participants(
        project_id=relationship.project_id, relationship_id=relationship.id, kind=SearchedKind.MESSAGE
    )
    posed = []
    for asked in talk.questions:
        prepared = prepare_questions([asked.text], participants=participants, retrieval=retrieval, given=None)
        if prepared.notes:
            raise RuntimeError(" ".join(prepared.notes))
        columns = read_columns(
            Sought(
                relationship_id=relationship.id,
                kind=SearchedKind.MESSAGE,
                words=prepared.words,
                language=retrieval.language,
                filters=MessageFilters(),
                now=NOW,
                vectors=prepared.vectors,
            )
        )
        ranking = Ranking(columns, prepared, participants, retrieval, BestRanker(), Cut(20, None), NOW)
        rows = {columns.id_of(row): row for row in range(len(columns))}
        evidence = frozenset(rows[messages[turn]] for turn in asked.evidence)
        posed.append(Posed(talk.name, asked.category, *ranking.posed(0), evidence))
    _check(talk, relationship, retrieval, posed, messages)
    return posed


def recalls(posed: Sequence[Posed], ranker: Ranker) -> Recalls:
    return np.array([_recall(one, ranker) for one in posed])


def _recall(posed: Posed, ranker: Ranker) -> list[float]:
    scores = ranker.rank(posed.candidates, posed.question, NOW)
    kept = np.flatnonzero(scores.kept)
    best = scores.best_first(kept)
    return [len(posed.evidence & set(best[:cut].tolist())) / len(posed.evidence) for cut in CUTS]


def _check(
    talk: Talk,
    relationship: Relationship,
    retrieval: Retrieval,
    posed: Sequence[Posed],
    messages: dict[str, UUID],
) -> None:
    """What is measured is what a search answers: the first questions are asked once more, by its front door."""
    for asked, one in list(zip(talk.questions, posed, strict=True))[:10]:
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
