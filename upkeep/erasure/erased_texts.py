"""Find everything an entry ever said, and where else that is stored. Only reads."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from memory.entries.fingerprint import content_hash
from memory.models import EntryRevision, EntryState, OperationResult, ScratchpadEntry
from memory.phrases import FEW, Phrases
from relationships.models import Message, Turn
from workspace.redaction import SHORTEST

NO_PHRASES = Phrases(())


@dataclass(frozen=True, slots=True)
class Words:
    """What to erase. `entries`: the entry, and inactive ones that say exactly the same.

    `spared` are active entries that say the same: nobody asked to erase them, so they keep their history.
    """

    entries: dict[UUID, int] = field(default_factory=dict)  # version by ID
    spared: frozenset[UUID] = frozenset()
    hashes: frozenset[bytes] = frozenset()
    contents: frozenset[str] = frozenset()  # as they were written
    phrases: Phrases = NO_PHRASES  # those that are long enough to prove a quotation, case folded
    cited: frozenset[UUID] = frozenset()  # messages they are based on
    turns: frozenset[UUID] = frozenset()

    def quoted_in(self, text: str) -> bool:
        folded = text.casefold()
        return any(phrase in folded for phrase in self.phrases.found_in(text))


@dataclass(slots=True)
class Traces:
    """The operations about what is to be erased, their turns, and the messages they cite."""

    operations: set[UUID] = field(default_factory=set)
    turns: set[UUID] = field(default_factory=set)
    cited: set[UUID] = field(default_factory=set)


def words_of(entries: Sequence[ScratchpadEntry], kept: Mapping[UUID, str]) -> Words:
    """Everything that these entries of a relationship say or ever said, with the messages that is based on. `kept`: by
    an entry's ID, a text of it that may stay.
    """
    relationship_id, own = entries[0].relationship_id, [entry.id for entry in entries]
    revisions = _revisions(relationship_id, own)
    said = [saying for saying in _sayings(entries, revisions) if saying.content != kept.get(saying.entry_id)]
    subjects = {(saying.entry_id, saying.subject) for saying in said}
    hashes = {(saying.entry_id, content_hash(saying.content)) for saying in said}
    others = ScratchpadEntry.objects.for_relationship(relationship_id).exclude(id__in=own)
    alike = others.filter(
        content_hash__in={digest for _, digest in hashes}, subject__in={subject for _, subject in subjects}
    )
    same = [
        other
        for other in alike
        if any((one, other.subject) in subjects and (one, bytes(other.content_hash)) in hashes for one in own)
    ]
    twins = [other for other in same if other.state != EntryState.ACTIVE]
    of_twins = _revisions(relationship_id, [twin.id for twin in twins])
    said += _sayings(twins, of_twins)
    contents = frozenset(saying.content for saying in said)
    return Words(
        entries={row.id: row.version for row in [*entries, *twins]},
        spared=frozenset(other.id for other in same if other.state == EntryState.ACTIVE),
        hashes=frozenset(map(content_hash, contents)),
        contents=contents,
        phrases=Phrases({text.casefold() for text in contents if len(text) >= SHORTEST}),
        cited=frozenset(message_id for saying in said for message_id in saying.cited),
        turns=frozenset(revision.turn_id for revision in [*revisions, *of_twins] if revision.turn_id),
    )


def find_traces(relationship_id: UUID, words: Words) -> Traces:
    owned = OperationResult.objects.for_relationship(relationship_id)
    about = Q(entry_ids__overlap=list(words.entries)) | Q(content_hash__in=words.hashes)
    if len(words.phrases) <= FEW:
        for phrase in words.phrases:
            about |= Q(text__contains=phrase)
    else:  # the database would compare each text with each phrase
        texts = owned.exclude(text="").values_list("id", "text").iterator()
        about |= Q(id__in=[row_id for row_id, text in texts if words.quoted_in(text)])
    traces = Traces()
    for row_id, turn_id, message_ids in owned.filter(about).values_list("id", "turn_id", "message_ids"):
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
    entry_id: UUID
    content: str
    subject: str
    cited: list[UUID]


def _sayings(entries: Iterable[ScratchpadEntry], revisions: Iterable[EntryRevision]) -> Iterator[_Saying]:
    for entry in entries:
        yield _Saying(entry.id, entry.content, entry.subject, entry.source_message_ids)
    for revision in revisions:
        for fields in filter(None, (revision.before, revision.after)):
            cited = [UUID(message_id) for message_id in fields["source_message_ids"]]
            yield _Saying(revision.entry_id, fields["content"], fields["subject"], cited)


def _revisions(relationship_id: UUID, entry_ids: list[UUID]) -> list[EntryRevision]:
    return list(EntryRevision.objects.for_relationship(relationship_id).filter(entry_id__in=entry_ids))
