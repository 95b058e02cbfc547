"""The optional last stage of a search: a reranker reads the first hits and puts them in a better order.

It has a deadline. If no usable answer comes in time, the order stays, and the notes of the search say why.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from dataclasses import replace
from functools import cache
from uuid import UUID

from config import tracing
from config.postgresql.sessions import release_connection
from memory.fence import cut_fenced
from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.columns import SearchQuery
from memory.retrieval.configuration import Retrieval
from memory.retrieval.questions import COMPANION, USER, Participants
from memory.retrieval.rerankers.base import (
    RERANKED,
    Asked,
    NotUnderstood,
    Passage,
    Reranker,
    RerankRequest,
)
from memory.retrieval.results import SearchResult
from providers.errors import ProviderError
from relationships.configuration.plugins import load
from relationships.models import Message
from web.errors import RapportError

AT_ONCE = 32  # searches that are reranked at once in a process; more than that wait, and are late
NOT_RERANKED = "Not reranked"  # then why, in words which a provider may take from a text


def rerank(
    found: SearchResult,
    question: str,
    participants: Participants,
    retrieval: Retrieval,
    asked: Asked,
    project_id: UUID,
    query: SearchQuery,
    top_k: int,
) -> SearchResult:
    """The same hits, with those first that answer the question best, by the configured reranker and in its time; at
    most `top_k`.
    """
    slug = retrieval.reranker
    assert slug is not None, "a reranker is configured"
    first, rest = found.hits[:RERANKED], found.hits[RERANKED:]
    if len(first) < 2:
        return replace(found, hits=first[:top_k])
    try:
        passages = _passages(query, [hit.id for hit in first], participants)
        # without what was removed since
        there = [place for place, hit in enumerate(first) if hit.id in passages]
        request = RerankRequest(
            project_id=project_id,
            question=question,
            passages=[passages[first[place].id] for place in there],
            asked=asked,
            seconds=retrieval.reranker_timeout_ms / 1000,
        )
        order = [there[place] for place in _within(load("RERANKERS", slug)(), request)]
    except (RapportError, ProviderError, NotUnderstood, _Unusable) as why:
        note = f"{NOT_RERANKED} by {slug}, the order is {found.ranker}'s: {why}."
        found = replace(found, notes=(*found.notes, note.replace("..", ".")))
    else:
        order += [place for place in range(len(first)) if place not in set(order)]
        first = [first[place]._replace(place_before=place + 1) for place in order]
        found = replace(found, reranker=slug)
    return replace(found, hits=[*first, *rest][:top_k])


class _Unusable(Exception):
    """The reranker's answer came too late, not at all, or is useless."""


def _within(reranker: Reranker, request: RerankRequest) -> list[int]:
    """Rerank within the deadline. Raises RapportError, ProviderError, NotUnderstood, _Unusable."""
    reranker.require(request)
    release_connection()
    future = _threads().submit(tracing.carried(reranker.rerank), request)
    try:
        order = [int(place) for place in future.result(request.seconds)]
    except TooLate:
        future.cancel()  # in case it has not begun
        raise _Unusable(f"no answer within {request.seconds * 1000:.0f} ms") from None
    except (ProviderError, NotUnderstood):
        raise
    except Exception as error:  # a plugin may raise anything; the search continues
        raise _Unusable(f"it failed ({type(error).__name__})") from error
    if len(set(order)) != len(order) or not set(order) <= set(range(len(request.passages))):
        raise _Unusable("it ranks what it was not shown")
    return order


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="rerank")


def _passages(query: SearchQuery, ids: Sequence[UUID], participants: Participants) -> Mapping[UUID, Passage]:
    """One statement."""
    names = {USER: participants.user, COMPANION: participants.companion}
    if query.kind == SearchedKind.ENTRY:
        entries = ScratchpadEntry.objects.for_relationship(query.relationship_id).filter(id__in=ids)
        return {
            entry_id: Passage(content, names.get(subject, subject), told_at)
            for entry_id, content, subject, told_at in entries.values_list(
                "id", "content", "subject", "effective_at"
            )
        }
    messages = Message.objects.for_relationship(query.relationship_id).filter(id__in=ids, erased_at=None)
    return {
        message_id: Passage(cut_fenced(content)[0].strip(), speaker or names.get(role, role), told_at)
        for message_id, content, speaker, role, told_at in messages.values_list(
            "id", "content", "speaker", "role", "occurred_at"
        )
    }
