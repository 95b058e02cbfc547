"""The relationship every measurement is about: 100 entries, 20 recent messages, a profile of 2 kB; 31 kB in all."""

from django.db import connection
from django.utils import timezone

from memory.indexing.write import index_entries
from memory.models import EntrySource, ScratchpadEntry, Tier
from memory.retrieval.configuration import Retrieval
from memory.services.fingerprint import content_hash
from memory.services.snapshots import rebuild_scratchpad
from relationships.ids import relationship_id, uuid7
from relationships.models import DEFAULT_SESSION, Companion, EndUser, Message, Project, Relationship
from relationships.services.snapshots import write_section

ENTRIES, MESSAGES, PROFILE_FIELDS = 100, 60, 45
_WORDS = (
    "tea Lisbon nurse sister marathon garden train piano evening prefers wants lives never always".split()
)


def make_relationship() -> Relationship:
    """The sample, in a project of its own."""
    project = Project.objects.create(name="Benchmark")
    prompt = f"You are {{companion}}, a friend of {{user}}. {prose(1500, seed=0)}"
    companion = Companion.objects.create(
        project=project, slug="bench", name="Ada", config={"context": {"core_prompt": prompt}}
    )
    user = EndUser.objects.create(project=project, external_id="bench", display_name="Maya")
    relationship = Relationship.objects.create(
        id=relationship_id(companion.id, user.id), project=project, companion=companion, user=user
    )
    ScratchpadEntry.objects.bulk_create(_entry(relationship, place) for place in range(ENTRIES))
    Message.objects.bulk_create(_message(relationship, place) for place in range(MESSAGES))
    rebuild_scratchpad(relationship_id=relationship.id, project_id=project.id, now=timezone.now())
    profile = {f"field_{place}": prose(30, seed=place) for place in range(PROFILE_FIELDS)}
    write_section(relationship_id=relationship.id, project_id=project.id, section="profile", value=profile)
    return relationship


def fill_archive(relationship: Relationship, count: int) -> None:
    """So many entries that are not shown whole, found by their text."""
    first, now = ENTRIES, timezone.now()
    entries = [_entry(relationship, first + place, tier=Tier.ARCHIVE) for place in range(count)]
    ScratchpadEntry.objects.bulk_create(entries)
    ids = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    index_entries(**ids, entry_ids=[entry.id for entry in entries], retrieval=Retrieval(), now=now)
    rebuild_scratchpad(**ids, now=now)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself within minutes of so many new rows


def prose(characters: int, *, seed: int) -> str:
    """So many characters of words, the same for the same seed."""
    text = ""
    while len(text) < characters:
        text += f"{_WORDS[(seed * 7 + len(text)) % len(_WORDS)]} "
    return text[:characters].strip()


def _entry(relationship: Relationship, place: int, tier: Tier = Tier.SCRATCHPAD) -> ScratchpadEntry:
    content, now = f"Remembers number {place} {prose(70, seed=place)}", timezone.now()
    return ScratchpadEntry(
        relationship=relationship,
        project_id=relationship.project_id,
        type="preference",
        tier=tier,
        content=content,
        content_hash=content_hash(content),
        source=EntrySource.API,
        recorded_at=now,
        effective_at=now,
    )


def _message(relationship: Relationship, place: int) -> Message:
    return Message(
        relationship=relationship,
        project_id=relationship.project_id,
        turn_id=uuid7(),
        seq=place + 1,
        session=DEFAULT_SESSION,
        role=("user", "assistant")[place % 2],
        content=prose(1050, seed=place),
        occurred_at=timezone.now(),
    )
