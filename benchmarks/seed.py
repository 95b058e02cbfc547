"""Puts people, and what is remembered of them, where the product keeps it: by its own functions, without a model."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone
from pgvector import HalfVector

from benchmarks.client import Client
from benchmarks.service import HOST
from memory.entries.fingerprint import content_hash
from memory.entries.snapshots import rebuild_scratchpad
from memory.models import EntrySource, ScratchpadEntry, SearchedKind, Tier
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.backfill import complete_index
from memory.retrieval.index.configs import RelationshipConfig
from memory.retrieval.index.language import keep_language
from memory.retrieval.index.text import text_hash
from memory.retrieval.index.write import index_again
from relationships.ids import relationship_id, uuid7
from relationships.models import DEFAULT_SESSION, Companion, EndUser, Message, Project, Relationship, Scope
from relationships.services.api_keys import create_api_key
from relationships.services.sequence import lock_relationship
from relationships.services.snapshots import write_section
from web.actor import Actor

BY = Actor.policy("benchmark")
SAMPLE_ENTRIES, SAMPLE_MESSAGES, SAMPLE_FIELDS = 100, 60, 45
_AT_ONCE = 2000
_WORDS = (
    "tea Lisbon nurse sister marathon garden train piano evening prefers wants lives never always".split()
)
_VECTORS = """
COPY memory_embedding (relationship_id, id, project_id, kind, owner_id, model, dimensions, vector, text_hash,
                       recorded_at) FROM STDIN
"""


def make_companion(
    slug: str, config: dict[str, Any] | None = None, *, project: Project | None = None, name: str = "Ada"
) -> Companion:
    """In a project of its own, unless there is one."""
    project = project or Project.objects.create(name=slug)
    return Companion.objects.create(project=project, slug=slug, name=name, config=config or {})


def make_pair(
    slug: str, config: dict[str, Any] | None = None, *, user: str = "Maya", companion: str = "Ada"
) -> Relationship:
    """Of a companion in a project of its own."""
    return make_relationships(make_companion(slug, config, name=companion), [slug], name=user)[0]


def make_relationships(
    companion: Companion, users: Iterable[str], *, name: str = "Maya"
) -> list[Relationship]:
    project = Project.objects.get(id=companion.project_id)
    people = EndUser.objects.bulk_create(
        (EndUser(project=project, external_id=user, display_name=name) for user in users), batch_size=_AT_ONCE
    )
    return Relationship.objects.bulk_create(
        (
            Relationship(
                id=relationship_id(companion.id, user.id), project=project, companion=companion, user=user
            )
            for user in people
        ),
        batch_size=_AT_ONCE,
    )


def client_of(project_id: UUID, port: int) -> Client:
    """With a key of its own."""
    scopes = [Scope.READ, Scope.WRITE, Scope.ADMIN]
    _, key = create_api_key(project_id=project_id, name="benchmark", scopes=scopes, by=BY)
    return Client(HOST, port, key)


def remember(
    person: Relationship,
    texts: Sequence[str],
    *,
    tier: str = Tier.ARCHIVE,
    retrieval: Retrieval | None = None,
    at: datetime | None = None,
) -> list[ScratchpadEntry]:
    """Active entries, found by their words and shown like any other. `retrieval`: whether vectors are owed of them."""
    now = timezone.now()
    entries = [
        ScratchpadEntry(
            relationship=person,
            project_id=person.project_id,
            type="other",
            tier=tier,
            content=text,
            content_hash=content_hash(text),
            source=EntrySource.API,
            recorded_at=at or now,
            effective_at=at or now,
        )
        for text in texts
    ]
    with transaction.atomic():
        lock_relationship(person.id)  # as all who write do: a worker may be about to index it
        ScratchpadEntry.objects.bulk_create(entries, batch_size=_AT_ONCE)
        keep_language(person.id)
        own = RelationshipConfig(person.id, person.project_id, (), retrieval)
        ids = [entry.id for entry in entries]
        for start in range(0, len(ids), _AT_ONCE):
            index_again(own, SearchedKind.ENTRY, ids[start : start + _AT_ONCE], now=now)
        rebuild_scratchpad(relationship_id=person.id, project_id=person.project_id, now=now)
    return entries


class Line(NamedTuple):
    """A message as it was said."""

    session: str
    role: str
    content: str
    said_at: datetime


def store_messages(person: Relationship, lines: Iterable[Line]) -> list[Message]:
    """All that was ever said, each line a turn of its own; no search finds it yet."""
    return Message.objects.bulk_create(
        (
            Message(
                relationship_id=person.id,
                project_id=person.project_id,
                turn_id=uuid7(),
                seq=seq,
                session=line.session,
                role=line.role,
                content=line.content,
                occurred_at=line.said_at,
            )
            for seq, line in enumerate(lines, start=1)
        ),
        batch_size=_AT_ONCE,
    )


def store_vectors(
    entries: Iterable[ScratchpadEntry], vectors: Iterable[Sequence[float]], *, model: str
) -> None:
    now = timezone.now()
    with connection.cursor() as cursor, cursor.copy(_VECTORS) as copy:
        for entry, vector in zip(entries, vectors, strict=True):
            ids = entry.relationship_id, uuid7(), entry.project_id, "entry", entry.id
            told = HalfVector(list(vector)).to_text(), text_hash(entry.content), now
            copy.write_row((*ids, model, len(vector), *told))


def analyze() -> None:
    """As PostgreSQL does by itself within minutes of many new rows."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def make_sample() -> Relationship:
    """100 entries, 20 recent messages, a profile of 2 kB; 31 kB in all. In a project of its own."""
    prompt = f"You are {{companion}}, a friend of {{user}}. {prose(1500, seed=0)}"
    sample = make_pair("bench", {"context": {"core_prompt": prompt}})
    remember(sample, numbered_texts(SAMPLE_ENTRIES), tier=Tier.SCRATCHPAD)
    now, roles = timezone.now(), ("user", "assistant")
    store_messages(
        sample,
        (
            Line(DEFAULT_SESSION, roles[place % 2], prose(1050, seed=place), now)
            for place in range(SAMPLE_MESSAGES)
        ),
    )
    Relationship.objects.filter(id=sample.id).update(message_count=SAMPLE_MESSAGES)
    keep_language(sample.id)
    complete_index(sample.id, most=SAMPLE_ENTRIES + SAMPLE_MESSAGES)
    profile = {f"field_{place}": prose(30, seed=place) for place in range(SAMPLE_FIELDS)}
    write_section(relationship_id=sample.id, project_id=sample.project_id, section="profile", value=profile)
    return sample


def numbered_texts(count: int, *, start: int = 0) -> list[str]:
    return [f"Remembers number {place} {prose(70, seed=place)}" for place in range(start, start + count)]


def turn_body(number: int) -> dict[str, Any]:
    """A turn of two messages, for POST /turns; each number says something of its own."""
    return {
        "messages": [
            {"role": "user", "content": f"On day {number} {prose(200, seed=number)}"},
            {"role": "assistant", "content": prose(200, seed=number + 1)},
        ]
    }


def prose(characters: int, *, seed: int) -> str:
    """So many characters of words, the same for the same seed."""
    text = ""
    while len(text) < characters:
        text += f"{_WORDS[(seed * 7 + len(text)) % len(_WORDS)]} "
    return text[:characters].strip()
