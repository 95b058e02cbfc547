"""Evidence recall: how many of a question's evidence turns are among the first 10 and 20 results of a search."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.recall.sets import Said, Talk
from benchmarks.runner import say
from benchmarks.seed import Line, make_pair, store_messages
from memory.models import Embedding, SearchedKind, SearchText
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.backfill import rebuild_index
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.search import search_messages
from providers.embeddings.registry import embedder_of
from relationships.models import Message, MessageRole, Relationship

CUTS = (10, 20)
NOT_EMBEDDED = "only text was searched"  # part of a note
NOW = datetime(2024, 6, 1, tzinfo=UTC)  # after every message
Recalls = NDArray[np.float64]  # one row per question, one column per cut


class Stored(NamedTuple):
    """A conversation in the database. `ids`: of the messages, by the IDs of the set's turns."""

    talk: Talk
    relationship: Relationship
    ids: Mapping[str, UUID]


def store_talks(talks: Sequence[Talk], retrieval: Retrieval) -> list[Stored]:
    """Store the conversations as a worker leaves them. The first speaker is the user."""
    stored = []
    for talk in talks:
        say(f"storing LoCoMo: {talk.name}")
        user, companion = talk.speakers
        relationship = pair_of(talk.name, retrieval, user=user, companion=companion)
        messages = store(relationship, talk.turns, user=user)
        rebuild_index(relationship.id)
        embed_all(relationship, SearchedKind.MESSAGE, retrieval, len(messages))
        ids = {turn.id: message.id for turn, message in zip(talk.turns, messages, strict=True)}
        stored.append(Stored(talk, relationship, ids))
    return stored


def recalls(stored: Sequence[Stored], retrieval: Retrieval) -> Recalls:
    """Ask all questions of the conversations by the product's search."""
    return np.array(
        [
            shares(
                {one.ids[turn] for turn in question.evidence},
                found(one.relationship, question.text, retrieval),
            )
            for one in stored
            for question in one.talk.questions
        ]
    )


def shares(wanted: Collection[Any], found: Sequence[Any]) -> list[float]:
    """The share (0..1) of `wanted` among the first of `found`, for each cut."""
    return [len(set(wanted) & set(found[:cut])) / len(wanted) for cut in CUTS]


def found(relationship: Relationship, text: str, retrieval: Retrieval) -> list[UUID]:
    """IDs of the messages that the product's search finds, best first. Raises RuntimeError if the embedder failed."""
    result = search_messages(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        text=text,
        retrieval=retrieval,
        top_k=max(CUTS),
        now=NOW,
    )
    if any(NOT_EMBEDDED in note for note in result.notes):
        raise RuntimeError(f"{text!r} could not be embedded.")
    return [hit.id for hit in result.hits]


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
