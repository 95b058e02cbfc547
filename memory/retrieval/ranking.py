"""Rank the columns that were read. No database here."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.dates import periods
from memory.retrieval.columns import Columns, candidates_of
from memory.retrieval.configuration import Retrieval
from memory.retrieval.questions import TOO_MANY_WORDS, Participants, Prepared
from memory.retrieval.rankers.base import Candidates, Question, Ranker, Scores
from memory.retrieval.rankers.best import BestRanker
from memory.retrieval.rankers.scoring import fits
from memory.retrieval.relative_dates import relative_periods
from memory.retrieval.results import Hit, SearchResult
from providers.embeddings.base import Embedded
from relationships.configuration.plugins import known_slug, load
from web.errors import InvalidInput

BY_TEXT = BestRanker()  # ranks by text if there is no vector to compare


@dataclass(frozen=True, slots=True)
class Cut:
    """Limits of the answer: the number of hits, and their least score and fit. `compared`: only what has a vector to
    compare; `fill`: if nothing has one, also what the ranker does not keep. `min_fit` None: the fit is not computed.
    """

    top_k: int
    min_score: float | None
    compared: bool = False
    fill: bool = False
    min_fit: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    columns: Columns
    prepared: Prepared
    participants: Participants
    retrieval: Retrieval
    wanted: Ranker
    cut: Cut
    now: datetime

    def posed(self, number: int) -> tuple[Candidates, Question]:
        """The columns and the question of this number, for a ranker."""
        text, columns = self.prepared.texts[number], self.columns
        named = [who for who in columns.people if self.participants.is_asked_about(who, text)]
        question = Question(
            terms=len(columns.terms[number]),
            retrieval=self.retrieval,
            periods=(*periods(text), *relative_periods(text, self.now.date())),
        )
        return candidates_of(columns, number, named=named), question

    def answer(self, number: int) -> SearchResult:
        """The result for the question of this number; the caller adds the milliseconds."""
        candidates, question = self.posed(number)
        vectors = self.prepared.vectors
        ranker = BY_TEXT if self.wanted.needs_vectors and not candidates.has_vectors else self.wanted
        scores = ranker.rank(candidates, question, self.now)
        return SearchResult(
            hits=self._hits(candidates, question, scores, by_text=ranker is not self.wanted),
            ranker=ranker.slug,
            space=vectors.space if vectors is not None and candidates.has_vectors else None,
            considered=int(candidates.allowed.sum()),
            notes=(*self.prepared.notes, *self._notes(candidates, ranker)),
            milliseconds=0.0,
        )

    def _hits(
        self, candidates: Candidates, question: Question, scores: Scores, *, by_text: bool
    ) -> list[Hit]:
        passes = candidates.allowed & np.isfinite(scores.total)
        if not self.cut.fill or candidates.has_vectors:
            passes &= scores.kept
        if self.cut.compared:
            passes &= ~np.isnan(candidates.cosine)
        if self.cut.min_score is not None and not by_text:  # the other ranker has another scale
            passes &= scores.total >= self.cut.min_score
        fit = np.zeros(len(candidates))
        if self.cut.min_fit is not None:
            fit = fits(candidates, question)
            passes &= fit >= self.cut.min_fit
        rows = scores.best_first(np.flatnonzero(passes), most=self.cut.top_k)
        ids, totals = self.columns.ids_of(rows), scores.total[rows].tolist()
        parts = zip(*(part[rows].tolist() for part in scores.parts.values()), strict=True)
        return [
            Hit(id, total, dict(zip(scores.parts, values, strict=True)), fitting)
            for id, total, values, fitting in zip(ids, totals, parts, fit[rows].tolist(), strict=True)
        ]

    def _notes(self, candidates: Candidates, ranker: Ranker) -> list[str]:
        if not len(candidates):
            return []
        columns = self.columns
        cut = columns.too_many_words and TOO_MANY_WORDS not in self.prepared.notes
        notes = [TOO_MANY_WORDS] if cut else []
        if ranker is not self.wanted:
            notes.append(
                f"There is no vector that {self.wanted.slug} could compare; ranked by {ranker.slug}."
            )
        if columns.read_as and (asked := self.retrieval.language):
            notes.append(
                f"The texts are indexed as {' and '.join(columns.read_as)}; so they were asked, not as {asked}."
            )
        without = int((np.isnan(candidates.cosine) & candidates.allowed).sum())
        if self.prepared.vectors is not None and without:
            notes.append(
                f"{without} of {int(candidates.allowed.sum())} have no vector yet and are ranked by their words."
            )
        return notes


def wanted_ranker(slug: str, retrieval: Retrieval, *, given: Embedded | None) -> Ranker:
    """Raises InvalidInput for an unknown ranker, or for one that needs vectors if there is no embedder."""
    try:
        ranker: Ranker = load("RANKERS", known_slug("RANKERS", slug))()
    except ValueError as error:
        raise InvalidInput.of("ranker", str(error)) from None
    if ranker.needs_vectors and retrieval.embedder is None and given is None:
        raise InvalidInput.of(
            "retrieval.embedder",
            f"is not set, but the ranker {slug} compares vectors: set it, or rank by best",
        )
    return ranker
