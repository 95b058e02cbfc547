"""Rows of Rapport's own tables, for a benchmark: made by its services, or by bulk where no model is to be asked."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from pgvector import HalfVector

from benchmarks.peers.vectors import vector_of
from memory.indexing.text import text_hash
from memory.indexing.write import index_entries
from memory.models import EntrySource, ScratchpadEntry, Tier
from memory.services.fingerprint import content_hash
from memory.services.snapshots import rebuild_scratchpad
from relationships.actor import Actor
from relationships.ids import relationship_id, uuid7
from relationships.models import Companion, EndUser, Relationship, Scope
from relationships.services.api_keys import create_api_key
from relationships.services.configuration import configuration_of
from relationships.services.projects import create_project
from relationships.services.relationships import get_or_create_relationship

BY = Actor.policy("benchmark")
_AT_ONCE = 2000
# The vectors are there: nothing is owed any more, and no worker need look.
_SETTLE = (
    "UPDATE memory_searchtext SET embed_due_at = NULL WHERE embed_due_at IS NOT NULL",
    "DELETE FROM django_q_ormq",
)


def set_up(slug: str, config: Mapping[str, Any]) -> str:
    """A project and a companion; gives an API key."""
    project = create_project(name="Peers", by=BY)
    Companion.objects.create(project=project, slug=slug, name="Ada", config=dict(config))
    _, key = create_api_key(project_id=project.id, name="peers", scopes=[Scope.ADMIN.value], by=BY)
    return key


def companion(slug: str) -> Companion:
    return Companion.objects.get(slug=slug)


def relationship(companion: Companion, user: str) -> Relationship:
    found, _ = get_or_create_relationship(
        project_id=companion.project_id, companion=companion.slug, user=user, by=BY
    )
    return found


def active_entries(relationship_id: UUID) -> list[str]:
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).active().order_by("-effective_at", "-id")
    return list(rows.values_list("content", flat=True))


def load(companion: Companion, memories: Mapping[str, Sequence[str]]) -> None:
    """Entries where the companion's recipe keeps them, found and shown like any other."""
    waiting = iter(memories.items())
    while some := dict(islice(waiting, _AT_ONCE)):
        with transaction.atomic():
            _load(companion, some)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _load(companion: Companion, memories: Mapping[str, Sequence[str]]) -> None:
    now = datetime.now(UTC)
    people = _relationships(companion, memories)
    configuration = configuration_of(people[0]).values
    tier = Tier(configuration.ingestion.tier)
    entries = {
        person: [_entry(person, text, tier, now) for text in texts]
        for person, texts in zip(people, memories.values(), strict=True)
    }
    made = [entry for own in entries.values() for entry in own]
    ScratchpadEntry.objects.bulk_create(made, batch_size=_AT_ONCE)
    for person, own in entries.items():
        ids = {"relationship_id": person.id, "project_id": person.project_id}
        index_entries(
            **ids, entry_ids=[entry.id for entry in own], retrieval=configuration.retrieval, now=now
        )
        rebuild_scratchpad(**ids, now=now)
    if configuration.retrieval.embedder is not None:
        _embed(made, now)


def _relationships(companion: Companion, users: Iterable[str]) -> list[Relationship]:
    companion = Companion.objects.select_related("project").get(id=companion.id)
    people = EndUser.objects.bulk_create(
        EndUser(project_id=companion.project_id, external_id=user) for user in users
    )
    return Relationship.objects.bulk_create(
        Relationship(
            id=relationship_id(companion.id, person.id),
            project=companion.project,
            companion=companion,
            user=person,
        )
        for person in people
    )


def _entry(person: Relationship, text: str, tier: Tier, now: datetime) -> ScratchpadEntry:
    return ScratchpadEntry(
        relationship=person,
        project_id=person.project_id,
        type="other",
        tier=tier,
        content=text,
        content_hash=content_hash(text),
        source=EntrySource.API,
        recorded_at=now,
        effective_at=now,
    )


def _embed(entries: Sequence[ScratchpadEntry], now: datetime) -> None:
    options = settings.EMBEDDING_PROVIDERS[settings.DEFAULT_EMBEDDING_PROVIDER]["OPTIONS"]
    dimensions = options["dimensions"]
    kept = (
        "COPY memory_embedding (relationship_id, id, project_id, kind, owner_id, model, dimensions, vector, "
        "text_hash, recorded_at) FROM STDIN"
    )
    with connection.cursor() as cursor:
        with cursor.copy(kept) as copy:
            for entry in entries:
                vector = HalfVector(list(vector_of(entry.content, dimensions))).to_text()
                ids = (entry.relationship_id, uuid7(), entry.project_id, "entry", entry.id)
                digest = text_hash(entry.content)
                copy.write_row((*ids, options["model"], dimensions, vector, digest, now))
        for statement in _SETTLE:
            cursor.execute(statement)
