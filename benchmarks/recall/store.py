"""Puts conversations and facts where the product keeps them, through its own index and embedder."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from benchmarks.recall.locomo import Talk
from memory.embedders import embedder_of
from memory.indexing.pipeline import embed_owed
from memory.indexing.write import index_entries, index_messages
from memory.models import Embedding, EntrySource, EntryState, ScratchpadEntry, SearchedKind, SearchText, Tier
from memory.services.fingerprint import content_hash
from relationships.configuration.retrieval import Retrieval
from relationships.ids import relationship_id, uuid7
from relationships.models import Companion, EndUser, Message, MessageRole, Project, Relationship


def make_relationship(name: str, *, user: str, companion: str, retrieval: Retrieval) -> Relationship:
    project = Project.objects.create(name=name)
    told = {"retrieval": retrieval.model_dump(mode="json", exclude_defaults=True)}
    ours = Companion.objects.create(project=project, slug="companion", name=companion, config=told)
    theirs = EndUser.objects.create(project=project, external_id="user", display_name=user)
    return Relationship.objects.create(
        id=relationship_id(ours.id, theirs.id), project=project, companion=ours, user=theirs
    )


def store_talk(talk: Talk, relationship: Relationship, retrieval: Retrieval) -> dict[str, UUID]:
    """The message of each turn. The first speaker is the user."""
    messages = [
        Message(
            id=uuid7(),
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            turn_id=uuid7(),
            seq=place,
            session=turn.session,
            role=MessageRole.USER if turn.speaker == talk.speakers[0] else MessageRole.ASSISTANT,
            content=turn.content,
            occurred_at=turn.said_at,
        )
        for place, turn in enumerate(talk.turns, start=1)
    ]
    Message.objects.bulk_create(messages)
    own = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    index_messages(**own, messages=messages, retrieval=retrieval, now=timezone.now())
    embed_all(relationship, SearchedKind.MESSAGE, retrieval, len(messages))
    return {turn.id: message.id for turn, message in zip(talk.turns, messages, strict=True)}


def store_facts(
    texts: Sequence[str], relationship: Relationship, retrieval: Retrieval, *, at: datetime
) -> list[UUID]:
    """Active entries in the archive; their IDs in order."""
    entries = [
        ScratchpadEntry(
            id=uuid7(),
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            type="other",
            tier=Tier.ARCHIVE,
            content=text,
            content_hash=content_hash(text),
            source=EntrySource.IMPORT,
            recorded_at=at,
            effective_at=at,
        )
        for text in texts
    ]
    ScratchpadEntry.objects.bulk_create(entries)
    _index([entry.id for entry in entries], relationship, retrieval)
    return [entry.id for entry in entries]


def set_state(
    ids: Iterable[UUID], state: EntryState, relationship: Relationship, retrieval: Retrieval
) -> None:
    wanted = list(ids)
    ScratchpadEntry.objects.for_relationship(relationship.id).filter(id__in=wanted).update(state=state)
    _index(wanted, relationship, retrieval)


def embed_all(relationship: Relationship, kind: SearchedKind, retrieval: Retrieval, texts: int) -> None:
    """As the worker does; nothing where there is no embedder. A text without a vector would change the figures."""
    if embedder_of(retrieval) is None:
        return
    while embed_owed(relationship_id=relationship.id).written:
        pass
    there = Embedding.objects.for_relationship(relationship.id).filter(kind=kind).count()
    if there < texts:
        errors = SearchText.objects.for_relationship(relationship.id).values_list("error_code", flat=True)
        raise RuntimeError(f"{texts - there} of {texts} texts have no vector: {', '.join(set(errors))}")


def _index(ids: list[UUID], relationship: Relationship, retrieval: Retrieval) -> None:
    own = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    index_entries(**own, entry_ids=ids, retrieval=retrieval, now=timezone.now())
