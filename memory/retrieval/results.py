"""A search's filters, its result, and how to explain that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from providers.embeddings.base import Space

NEARLY_THE_BEST = 0.65  # of the best score; docs/reference/recall.md has what other values find


@dataclass(frozen=True, slots=True)
class EntryFilters:
    """Which entries may be found. All conditions must be true; empty or None: any. `told_to` is exclusive."""

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
    """Which messages may be found. All conditions must be true; empty or None: any. `told_to` is exclusive.

    `without`: excluded places in the conversation (Message.seq).
    """

    roles: tuple[str, ...] = ()
    session: str | None = None
    told_from: datetime | None = None
    told_to: datetime | None = None
    without: tuple[int, ...] = ()


class Hit(NamedTuple):
    """An entry or message that was found. `parts`: the parts of its score, by name. `fit`: see rankers.scoring.fits.

    `place_before`: its rank before reranking, from 1, if the hits were reranked.
    """

    id: UUID
    score: float
    parts: Mapping[str, float]
    fit: float = 0.0
    place_before: int | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first. `space`: that of the compared vectors; None: none were. `considered`: how many were ranked.

    `reranker`: by which the first hits were reordered; None: they weren't.

    `notes`: sentences about what was not as configured, such as a question's vector that came too late.
    """

    hits: Sequence[Hit]
    ranker: str
    space: Space | None
    considered: int
    notes: tuple[str, ...]
    milliseconds: float
    reranker: str | None = None


def with_more(result: SearchResult, *, most: int, more: int) -> Sequence[Hit]:
    """The first `most` hits, and at most `more` further ones that score nearly as much as the best, as many do if all
    of a kind are asked for. That was only measured for `best` by text alone.
    """
    if result.ranker != "best" or result.space is not None or result.reranker is not None or not result.hits:
        return result.hits[:most]
    least = NEARLY_THE_BEST * result.hits[0].score
    return [hit for place, hit in enumerate(result.hits[: most + more]) if place < most or hit.score >= least]


def reason_of(hit: Hit, ranker: str) -> str:
    """Why it was found, in one line: the score and its parts, largest first. "best 0.93: text 0.45, ..."."""
    parts = sorted(hit.parts.items(), key=lambda part: (-abs(part[1]), part[0]))
    told = ", ".join(f"{name} {value:.3g}" for name, value in parts if round(value, 3))
    scored = f"{ranker} {hit.score:.3g}: {told}" if told else f"{ranker} {hit.score:.3g}"
    return scored if hit.place_before is None else f"{scored}; place {hit.place_before} before reranking"
