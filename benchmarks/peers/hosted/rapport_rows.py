"""Rows of Rapport's own tables, for a benchmark: made by its services, or by bulk where no model is to be asked."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection, transaction

from benchmarks.peers.vectors import vector_of
from memory.indexing.rows import entry_row
from memory.indexing.text import text_hash
from memory.indexing.write import NO_LANGUAGE
from memory.models import EntrySource, ScratchpadEntry, Tier
from memory.services.fingerprint import content_hash
from memory.services.snapshots import scratchpad_section
from relationships.actor import Actor
from relationships.configuration.retrieval import Retrieval
from relationships.ids import relationship_id, uuid7
from relationships.models import Companion, EndUser, Relationship, Scope
from relationships.services.api_keys import create_api_key
from relationships.services.configuration import configuration_of
from relationships.services.projects import create_project
from relationships.services.relationships import get_or_create_relationship

BY = Actor.policy("benchmark")
_AT_ONCE = 1000
_INDEX = """
INSERT INTO memory_searchtext
       (relationship_id, id, project_id, kind, owner_id, place, session, role, speaker, state, tier, told_at,
        language, lexemes, length, text_hash, due_at, attempts, error_code)
SELECT g.relationship_id, g.id, %(project)s, 'entry', g.owner_id, 0, '', '', g.speaker, 'active', g.tier, %(now)s,
       %(language)s, made.lexemes, (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(made.lexemes)),
       g.text_hash, NULL, 0, ''
  FROM unnest(%(relationships)s::uuid[], %(ids)s::uuid[], %(owners)s::uuid[], %(speakers)s::text[],
              %(tiers)s::text[], %(words)s::text[], %(hashes)s::bytea[])
       AS g (relationship_id, id, owner_id, speaker, tier, words, text_hash),
       LATERAL (SELECT to_tsvector(%(language)s::regconfig, g.words) AS lexemes OFFSET 0) made
"""


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
    _index(made, configuration.retrieval, now)
    _show(entries, now)
    if configuration.retrieval.embedder is not None:
        _embed(made, now)


def _index(entries: Sequence[ScratchpadEntry], retrieval: Retrieval, now: datetime) -> None:
    """As memory.indexing.write does it for one relationship; the vectors are there, so none is owed."""
    rows = [entry_row(entry, retrieval) for entry in entries]
    told: dict[str, Any] = {
        "project": entries[0].project_id,
        "now": now,
        "language": retrieval.language or NO_LANGUAGE,
        "relationships": [entry.relationship_id for entry in entries],
        "ids": [row.id for row in rows],
        "owners": [row.owner_id for row in rows],
        "speakers": [row.speaker for row in rows],
        "tiers": [row.tier for row in rows],
        "words": [row.words for row in rows],
        "hashes": [row.text_hash for row in rows],
    }
    with connection.cursor() as cursor:
        cursor.execute(_INDEX, told)


def _show(entries: Mapping[Relationship, Sequence[ScratchpadEntry]], now: datetime) -> None:
    """The snapshots, as memory.services.snapshots writes them: the scratchpad's lines, newest first."""
    kept = (
        "COPY relationships_snapshot (relationship_id, id, project_id, profile, sessions, scratchpad, fresh_until, "
        "has_archive, updated_at) FROM STDIN"
    )
    with connection.cursor() as cursor, cursor.copy(kept) as copy:
        for person, own in entries.items():
            newest = sorted(own, key=lambda entry: entry.id, reverse=True)
            shown = [entry for entry in newest if entry.tier == Tier.SCRATCHPAD]
            lines, fresh_until = scratchpad_section(shown, now=now)
            ids = (person.id, uuid7(), person.project_id)
            section = orjson.dumps(lines).decode()
            copy.write_row((*ids, "{}", "{}", section, fresh_until, len(shown) < len(own), now))


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
    with connection.cursor() as cursor, cursor.copy(kept) as copy:
        for entry in entries:
            vector = str(list(vector_of(entry.content, dimensions)))
            ids = (entry.relationship_id, uuid7(), entry.project_id, "entry", entry.id)
            digest = text_hash(entry.content)
            copy.write_row((*ids, options["model"], dimensions, vector, digest, now))
