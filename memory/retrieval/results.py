"""What is asked of a search beside its text, what it answers, and how that is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from providers.embeddings.base import Space

NEARLY_THE_BEST = 0.65  # of its score; docs/reference/recall.md has what others find


@dataclass(frozen=True, slots=True)
class EntryFilters:
    """Which entries may be found: all conditions hold. Empty or None: any. `told_to` itself is out."""

    types: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)  # all of them
    category: str | None = None
    tiers: tuple[str, ...] = ()
    states: tuple[str, ...] = ("active",)
    told_from: datetime | None = None
    told_to: datetime | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class MessageFilters:
    """Which messages may be found: all conditions hold. Empty or None: any. `told_to` itself is out.

    `without`: places in the conversation (Message.seq) that are not.
    """

    roles: tuple[str, ...] = ()
    session: str | None = None
    told_from: datetime | None = None
    told_to: datetime | None = None
    without: tuple[int, ...] = ()


class Hit(NamedTuple):
    """One entry or message. `parts`: what its score is made of, by name. `fit`: see rankers.scoring.fits.

    `place_before`: from 1, where the ranker had it, if a reranker has moved among the hits.
    """

    id: UUID
    score: float
    parts: Mapping[str, float]
    fit: float = 0.0
    place_before: int | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first. `space`: whose vectors were compared, None: none were. `considered`: how many were ranked.

    `reranker`: who put the first of them in another order, None: nobody did.

    `notes`: sentences about what was not as configured, such as a question whose vector came too late.
    """

    hits: Sequence[Hit]
    ranker: str
    space: Space | None
    considered: int
    notes: tuple[str, ...]
    milliseconds: float
    reranker: str | None = None


def with_more(result: SearchResult, *, most: int, more: int) -> Sequence[Hit]:
    """The first `most` hits, and at most `more` after them that score nearly as much as the best: where all of a kind
    is asked for, many do. Only of `best` by text alone was that measured.
    """
    if result.ranker != "best" or result.space is not None or result.reranker is not None or not result.hits:
        return result.hits[:most]
    least = NEARLY_THE_BEST * result.hits[0].score
    return [hit for place, hit in enumerate(result.hits[: most + more]) if place < most or hit.score >= least]


def reason_of(hit: Hit, ranker: str) -> str:
    """Why it was found, in one line: the score, and what it is made of, the most first. "best 0.93: text 0.45, ..."."""
    parts = sorted(hit.parts.items(), key=lambda part: (-abs(part[1]), part[0]))
    told = ", ".join(f"{name} {value:.3g}" for name, value in parts if round(value, 3))
    scored = f"{ranker} {hit.score:.3g}: {told}" if told else f"{ranker} {hit.score:.3g}"
    return scored if hit.place_before is None else f"{scored}; place {hit.place_before} before reranking"
