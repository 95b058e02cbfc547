"""Find everything an entry ever said, and where else that is stored. Only reads."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from memory.entries.fingerprint import content_hash
from memory.models import EntryRevision, OperationResult, ScratchpadEntry
from relationships.models import Message, Turn

SHORTEST_PHRASE = 8  # characters; a shorter text, such as a name, doesn't prove a quotation


@dataclass(frozen=True, slots=True)
class Words:
    """What to erase. `entries`: the entry, and inactive ones that say exactly the same.

    `spared` are active entries that say the same: nobody asked to erase them, so they keep their history.
    """

    entries: dict[UUID, int] = field(default_factory=dict)  # version by ID
    spared: frozenset[UUID] = frozenset()
    hashes: frozenset[bytes] = frozenset()
    contents: frozenset[str] = frozenset()  # as they were written
    phrases: tuple[str, ...] = ()  # case folded
    cited: frozenset[UUID] = frozenset()  # messages they are based on
    turns: frozenset[UUID] = frozenset()

    def quoted_in(self, text: str) -> bool:
        folded = text.casefold()
        return any(phrase in folded for phrase in self.phrases)

    @property
    def about(self) -> Q:
        """A filter for operations that name one of the entries, or say or quote what is to be erased."""
        about = Q(entry_ids__overlap=list(self.entries)) | Q(content_hash__in=self.hashes)
        for phrase in self.phrases:
            about |= Q(text__contains=phrase)
        return about


@dataclass(slots=True)
class Traces:
    """The operations about what is to be erased, their turns, and the messages they cite."""

    operations: set[UUID] = field(default_factory=set)
    turns: set[UUID] = field(default_factory=set)
    cited: set[UUID] = field(default_factory=set)


def words_of(entry: ScratchpadEntry, kept: str | None = None) -> Words:
    """Everything the entry says or ever said, except for `kept`, with the messages that is based on."""
    revisions = _revisions(entry.relationship_id, [entry.id])
    said = [saying for saying in _sayings([entry], revisions) if saying.content != kept]
    same = list(
        ScratchpadEntry.objects.for_relationship(entry.relationship_id)
        .filter(
            content_hash__in=[content_hash(saying.content) for saying in said],
            subject__in=[saying.subject for saying in said],
        )
        .exclude(id=entry.id)
    )
    twins = [other for other in same if other.state != "active"]
    of_twins = _revisions(entry.relationship_id, [twin.id for twin in twins])
    said += _sayings(twins, of_twins)
    contents = frozenset(saying.content for saying in said)
    return Words(
        entries={row.id: row.version for row in [entry, *twins]},
        spared=frozenset(other.id for other in same if other.state == "active"),
        hashes=frozenset(map(content_hash, contents)),
        contents=contents,
        phrases=tuple(sorted({text.casefold() for text in contents if len(text) >= SHORTEST_PHRASE})),
        cited=frozenset(message_id for saying in said for message_id in saying.cited),
        turns=frozenset(revision.turn_id for revision in [*revisions, *of_twins] if revision.turn_id),
    )


def joined(many: Sequence[Words]) -> Words:
    """All of them together."""
    entries = {entry_id: version for words in many for entry_id, version in words.entries.items()}
    return Words(
        entries=entries,
        spared=frozenset().union(*(words.spared for words in many)) - entries.keys(),
        hashes=frozenset().union(*(words.hashes for words in many)),
        contents=frozenset().union(*(words.contents for words in many)),
        phrases=tuple(sorted({phrase for words in many for phrase in words.phrases})),
        cited=frozenset().union(*(words.cited for words in many)),
        turns=frozenset().union(*(words.turns for words in many)),
    )


def find_traces(relationship_id: UUID, words: Words) -> Traces:
    operations = OperationResult.objects.for_relationship(relationship_id).filter(words.about)
    traces = Traces()
    for row_id, turn_id, message_ids in operations.values_list("id", "turn_id", "message_ids"):
        traces.operations.add(row_id)
        traces.turns.add(turn_id)
        traces.cited.update(message_ids)
    failed = Turn.objects.for_relationship(relationship_id).exclude(error="").values_list("id", "error")
    traces.turns.update(turn_id for turn_id, error in failed.iterator() if words.quoted_in(error))
    return traces


def turns_of(relationship_id: UUID, message_ids: Collection[UUID]) -> set[UUID]:
    messages = Message.objects.for_relationship(relationship_id).filter(id__in=message_ids)
    return set(messages.values_list("turn_id", flat=True))


def same_words_elsewhere(relationship_id: UUID, words: Words) -> list[UUID]:
    """IDs of revisions of other entries that contain what is to be erased, before or after the change."""
    hashes = [digest.hex() for digest in words.hashes]
    said = Q(before__content_hash__in=hashes) | Q(after__content_hash__in=hashes)
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(said)
    return list(revisions.exclude(entry_id__in=words.spared).values_list("id", flat=True))


def quoting_reasons(relationship_id: UUID, words: Words) -> list[UUID]:
    """IDs of revisions whose reason quotes what is to be erased."""
    if not words.phrases:
        return []
    revisions = EntryRevision.objects.for_relationship(relationship_id).exclude(reason="")
    rows = revisions.values_list("id", "reason").iterator()
    return [revision_id for revision_id, reason in rows if words.quoted_in(reason)]


class _Saying(NamedTuple):
    content: str
    subject: str
    cited: list[UUID]


def _sayings(entries: Iterable[ScratchpadEntry], revisions: Iterable[EntryRevision]) -> Iterator[_Saying]:
    for entry in entries:
        yield _Saying(entry.content, entry.subject, entry.source_message_ids)
    for revision in revisions:
        for fields in (revision.before, revision.after):
            if fields:
                cited = [UUID(message_id) for message_id in fields["source_message_ids"]]
                yield _Saying(fields["content"], fields["subject"], cited)


def _revisions(relationship_id: UUID, entry_ids: list[UUID]) -> list[EntryRevision]:
    return list(EntryRevision.objects.for_relationship(relationship_id).filter(entry_id__in=entry_ids))
