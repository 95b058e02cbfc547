"""What an entry ever said, and where else that is written down. Only reads."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q
from psycopg import sql

from memory.models import EntryRevision, ScratchpadEntry
from memory.services.fingerprint import content_hash

SHORTEST_PHRASE = 8  # characters; a shorter text, such as a bare name, is no sign of a quotation

# At which numbers some rows were shown in each call.
_NUMBERS_SHOWN = """
SELECT call.id, array_agg(shown.number)
  FROM memory_modelcall call, unnest(call.{column}) WITH ORDINALITY shown (id, number)
 WHERE call.relationship_id = %s AND call.{column} && %s AND shown.id = ANY(%s)
 GROUP BY call.id
"""

Numbers = dict[UUID, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Words:
    """What is to be forgotten. `entries`: the entry, and those that are shown nowhere and say exactly the same.

    `spared` are active entries that say the same: they were not asked to be forgotten, and keep their history.
    """

    entries: dict[UUID, int] = field(default_factory=dict)  # version by ID
    spared: frozenset[UUID] = frozenset()
    hashes: frozenset[bytes] = frozenset()
    contents: frozenset[str] = frozenset()  # as they were written
    phrases: tuple[str, ...] = ()  # case folded
    cited: frozenset[UUID] = frozenset()  # messages they rest on
    turns: frozenset[UUID] = frozenset()

    def quoted_in(self, text: str) -> bool:
        folded = text.casefold()
        return any(phrase in folded for phrase in self.phrases)

    def said_by(self, content: Any) -> bool:
        """Whether `content` says exactly what is to be forgotten."""
        return isinstance(content, str) and content_hash(content) in self.hashes


def words_of(entry: ScratchpadEntry) -> Words:
    """Everything the entry says now and ever said, with the messages that rests on."""
    said = _Said()
    said.read([entry], _revisions(entry.relationship_id, [entry.id]))
    same = list(
        ScratchpadEntry.objects.for_relationship(entry.relationship_id)
        .filter(content_hash__in=said.hashes, subject__in=said.subjects)
        .exclude(id=entry.id)
    )
    twins = [other for other in same if other.state != "active"]
    said.read(twins, _revisions(entry.relationship_id, [twin.id for twin in twins]))
    return Words(
        entries={row.id: row.version for row in [entry, *twins]},
        spared=frozenset(other.id for other in same if other.state == "active"),
        hashes=frozenset(said.hashes),
        contents=frozenset(said.contents),
        phrases=tuple(sorted({text.casefold() for text in said.contents if len(text) >= SHORTEST_PHRASE})),
        cited=frozenset(said.cited),
        turns=frozenset(said.turns),
    )


def numbers_shown(relationship_id: UUID, column: str, ids: Iterable[UUID]) -> Numbers:
    """By call, the numbers at which the model saw these rows. `column`: shown_entry_ids or shown_message_ids."""
    wanted = list(ids)
    statement = sql.SQL(_NUMBERS_SHOWN).format(column=sql.Identifier(column))
    with connection.cursor() as cursor:
        cursor.execute(statement, [relationship_id, wanted, wanted])
        return {call_id: frozenset(numbers) for call_id, numbers in cursor.fetchall()}


def same_words_elsewhere(relationship_id: UUID, words: Words) -> list[UUID]:
    """Revisions of other entries that say what is to be forgotten, before or after."""
    hashes = [digest.hex() for digest in words.hashes]
    said = Q(before__content_hash__in=hashes) | Q(after__content_hash__in=hashes)
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(said)
    return list(revisions.exclude(entry_id__in=words.spared).values_list("id", flat=True))


def quoting_reasons(relationship_id: UUID, words: Words) -> list[UUID]:
    """Revisions whose reason quotes what is to be forgotten."""
    revisions = EntryRevision.objects.for_relationship(relationship_id).exclude(reason="")
    rows = revisions.values_list("id", "reason").iterator()
    return [revision_id for revision_id, reason in rows if words.quoted_in(reason)]


class _Said:
    def __init__(self) -> None:
        self.hashes: set[bytes] = set()
        self.contents: set[str] = set()
        self.subjects: set[str] = set()
        self.cited: set[UUID] = set()
        self.turns: set[UUID] = set()

    def read(self, entries: Iterable[ScratchpadEntry], revisions: Iterable[EntryRevision]) -> None:
        for entry in entries:
            self._note(entry.content, entry.subject, entry.source_message_ids)
        for revision in revisions:
            if revision.turn_id:
                self.turns.add(revision.turn_id)
            for fields in (revision.before, revision.after):
                if fields:
                    cited = [UUID(message_id) for message_id in fields["source_message_ids"]]
                    self._note(fields["content"], fields["subject"], cited)

    def _note(self, content: str, subject: str, cited: Iterable[UUID]) -> None:
        self.hashes.add(content_hash(content))
        self.contents.add(content)
        self.subjects.add(subject)
        self.cited.update(cited)


def _revisions(relationship_id: UUID, entry_ids: list[UUID]) -> Iterable[EntryRevision]:
    return EntryRevision.objects.for_relationship(relationship_id).filter(entry_id__in=entry_ids).iterator()
