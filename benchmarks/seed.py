"""Fills a database with people, entries and messages, through functions of the product and without a model."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import cycle, repeat
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.utils import timezone

from benchmarks.client import Client
from benchmarks.service import HOST
from memory.entries.adding import add_entries
from memory.models import EntrySource, ScratchpadEntry, Tier
from memory.retrieval.index.backfill import rebuild_index
from relationships.ids import relationship_id, uuid7
from relationships.models import DEFAULT_SESSION, Companion, EndUser, Message, Project, Relationship, Scope
from relationships.services.api_keys import create_api_key
from relationships.services.snapshots import write_section
from web.actor import Actor

BY = Actor.policy("benchmark")
SAMPLE_ENTRIES, SAMPLE_MESSAGES, SAMPLE_FIELDS = 100, 60, 45
_AT_ONCE = 2000
_WORDS = (
    "tea Lisbon nurse sister marathon garden train piano evening prefers wants lives never always".split()
)


def make_companion(
    slug: str, config: dict[str, Any] | None = None, *, project: Project | None = None, name: str = "Ada"
) -> Companion:
    """A companion of `project`, or of a new project with this name."""
    project = project or Project.objects.create(name=slug)
    return Companion.objects.create(project=project, slug=slug, name=name, config=config or {})


def make_pair(
    slug: str, config: dict[str, Any] | None = None, *, user: str = "Maya", companion: str = "Ada"
) -> Relationship:
    """A relationship with a companion of its own in a new project."""
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
    """A client with a new key for this project, for the web server on this port."""
    scopes = [Scope.READ, Scope.WRITE, Scope.ADMIN]
    _, key = create_api_key(project_id=project_id, name="benchmark", scopes=scopes, by=BY)
    return Client(HOST, port, key)


def remember(
    person: Relationship, texts: Sequence[str], *, tier: str = Tier.ARCHIVE, at: datetime | None = None
) -> list[ScratchpadEntry]:
    """Add entries of the type `other`. `at`: since when they are true; now by default."""
    values = {"type": "other", "tier": tier, "effective_at": at or timezone.now()}
    given = [({**values, "content": text}, "") for text in texts]
    return add_entries(relationship=person, given=given, by=BY, source=EntrySource.API)


class Line(NamedTuple):
    """A message to store."""

    session: str
    role: str
    content: str
    said_at: datetime


def store_messages(person: Relationship, lines: Iterable[Line]) -> list[Message]:
    """Store all messages of a relationship, each in a turn of its own. They are not indexed yet."""
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


def store_talk(
    person: Relationship, texts: Iterable[str], sessions: Iterable[str] = repeat(DEFAULT_SESSION)
) -> None:
    """Store messages of the person and the companion in turn, as store_messages does. `sessions`: of each message."""
    now, roles = timezone.now(), cycle(["user", "assistant"])
    lines = zip(sessions, roles, texts, strict=False)
    store_messages(person, (Line(*line, now) for line in lines))


def analyze() -> None:
    """Do what PostgreSQL does by itself within minutes of many new rows."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def make_sample() -> Relationship:
    """The sample relationship: SAMPLE_ENTRIES entries, SAMPLE_MESSAGES messages and a profile of 2 kB."""
    prompt = f"You are {{companion}}, a friend of {{user}}. {prose(1500, seed=0)}"
    sample = make_pair("bench", {"context": {"core_prompt": prompt}})
    texts = [f"Remembers number {place} {prose(70, seed=place)}" for place in range(SAMPLE_ENTRIES)]
    remember(sample, texts, tier=Tier.SCRATCHPAD)
    store_talk(sample, [prose(1050, seed=place) for place in range(SAMPLE_MESSAGES)])
    Relationship.objects.filter(id=sample.id).update(message_count=SAMPLE_MESSAGES)
    rebuild_index(sample.id)
    profile = {f"field_{place}": prose(30, seed=place) for place in range(SAMPLE_FIELDS)}
    write_section(relationship_id=sample.id, project_id=sample.project_id, section="profile", value=profile)
    return sample


def turn_body(number: int) -> dict[str, Any]:
    """A turn of two messages for POST /turns, with different texts for each number."""
    return {
        "messages": [
            {"role": "user", "content": f"On day {number} {prose(200, seed=number)}"},
            {"role": "assistant", "content": prose(200, seed=number + 1)},
        ]
    }


def prose(characters: int, *, seed: int) -> str:
    """Words of this many characters, the same for the same seed."""
    text = ""
    while len(text) < characters:
        text += f"{_WORDS[(seed * 7 + len(text)) % len(_WORDS)]} "
    return text[:characters].strip()
