"""Finds, hides and erases sentences of an agent's files that a person wants forgotten: on every branch, and in earlier
versions. Hiding removes them from the branches by a commit, which can be undone; erasing removes them from history too.

A sentence's ID is where it was found: twelve bytes of the content's SHA-256, then the sentence's number in it.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.utils import timezone

from config.postgresql.sessions import execute
from memory.mending.candidates import Candidate, Forgettable, Scope
from relationships.models import Relationship
from web.errors import NotFound
from workspace.files import Change, commit_on
from workspace.generated import DOCUMENTS, ENTRIES, PROFILE, RULES, TOOLS, entries_file, made_elsewhere
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.identity import RAPPORT
from workspace.models import MAIN, Blob, Branch
from workspace.redaction import SHORTEST, phrase_of, redact_patterns
from workspace.reverting import TAKES_OUT, Undoing
from workspace.sentences import EMPTIED, MARKS, sentences_of, without
from workspace.store import Head, read_blobs, read_contents
from workspace.trees import Draft, entry_of, key_of, text_of

MOST = 5000  # distinct sentences, current ones first
EARLIER = "an earlier version"
_GENERATED = """
SELECT DISTINCT left(f.value ->> 0, 32)::uuid FROM workspace_tree t CROSS JOIN jsonb_each(t.files) f
 WHERE t.relationship_id = %s AND (f.key = ANY(%s) OR starts_with(f.key, %s))
"""


class ForgettableFiles(Forgettable):
    kind = "file"

    def find(self, scope: Scope) -> Iterator[Candidate]:
        """Yield each distinct sentence once. Generated files follow their sources, so they are skipped. Specs of tools
        are not about a person, so a wish to forget everything skips them. Hot context counts as told now, because
        contexts show it today.
        """
        seen: set[str] = set()
        now = timezone.now()
        for path, content in _contents(scope.relationship.id):
            digest = hashlib.sha256(content).digest()[:12]
            if scope.wish.everything and path.startswith(TOOLS):
                continue
            for number, sentence in enumerate(sentences_of(text_of(content) or "")):
                if sentence not in seen and EMPTIED.fullmatch(sentence) is None:
                    seen.add(sentence)
                    told_at = now if path == HOT_CONTEXT else None
                    text = sentence.lstrip(MARKS)
                    place = UUID(bytes=digest + number.to_bytes(4))
                    yield Candidate(self.kind, place, text, place=path, told_at=told_at)
                if len(seen) == MOST:
                    return

    def hide(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> set[UUID]:
        """Remove the sentences from every branch, wherever they are now, and renew sessions' copies of the entries."""
        found = _sentences_by_id(relationship.id, ids)
        for branch in branches_of(relationship.id):
            _take_out(relationship, branch, set(found.values()), message=_commit_message(ids))
        return set(found)

    def restore(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """Merge the sentences back. Lines that were changed since stay as they are."""
        if ids:
            bring_back(relationship, [_commit_message(ids)])
        self.hide(relationship, (), now=now)  # renews the sessions' copies of the entries

    def erase(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """Remove the sentences from the branches without a trace, and replace them in the history before by ERASED."""
        texts = {text.lstrip(MARKS) for text in _sentences_by_id(relationship.id, ids).values()}
        if texts:
            self.hide(relationship, ids, now=now)
            redact_patterns(relationship.id, {text: _pattern_for(text) for text in texts if text.split()})


def bring_back(relationship: Relationship, messages: Collection[str]) -> None:
    """Restore on every branch what commits with these messages took out."""
    undoing = Undoing(relationship.id, messages)
    for branch in branches_of(relationship.id) if undoing.taken else ():
        _commit(relationship, branch, undoing)


def renew_entries(relationship: Relationship, branch: str) -> None:
    """Bring a session's copy of the entries up to date."""
    _take_out(relationship, branch, set(), message="Bring in what is known")


def _contents(relationship_id: UUID) -> Iterator[tuple[str, bytes]]:
    """Yield (path, content) for each distinct content of the branches, then of earlier versions."""
    seen: set[UUID] = set()
    for branch in branches_of(relationship_id):
        for path, content in sorted(read_contents(relationship_id, branch).items()):
            key = key_of(entry_of(content).sha256)
            if key not in seen and not made_elsewhere(path):
                yield path, content
            seen.add(key)
    if not seen:
        return
    seen.update(
        row[0] for row in execute(_GENERATED, [relationship_id, [ENTRIES, PROFILE, RULES], DOCUMENTS])
    )
    for blob in Blob.objects.for_relationship(relationship_id).exclude(id__in=seen).iterator(chunk_size=50):
        yield EARLIER, bytes(blob.content)


def branches_of(relationship_id: UUID) -> list[str]:
    names = Branch.objects.for_relationship(relationship_id).values_list("name", flat=True)
    return sorted(names, key=lambda name: (name != MAIN, name))


def _sentences_by_id(relationship_id: UUID, ids: Iterable[UUID]) -> dict[UUID, str]:
    """The sentences with these IDs, if their contents still exist."""
    found: dict[UUID, str] = {}
    for digest, listed in groupby(sorted(ids), key=lambda one: one.bytes[:12]):
        own = list(listed)
        first, last = (UUID(bytes=digest + end * 4) for end in (b"\x00", b"\xff"))
        for blob in Blob.objects.for_relationship(relationship_id).filter(id__range=(first, last)):
            there = list(sentences_of(text_of(bytes(blob.content)) or ""))
            numbers = {one: int.from_bytes(one.bytes[12:]) for one in own}
            found |= {one: there[number] for one, number in numbers.items() if number < len(there)}
    return found


def _take_out(relationship: Relationship, branch: str, gone: set[str], *, message: str) -> None:
    def left(head: Head) -> tuple[Draft, str]:
        draft = Draft(dict(head.files))
        contents = read_blobs(relationship.id, head.files.values()) if gone else {}
        for path, entry in head.files.items() if gone else ():
            if (branch == MAIN and made_elsewhere(path)) or path == ENTRIES:
                continue
            rest = without(text_of(contents[entry.sha256]) or "", gone)
            if rest is not None:
                draft.put(path, rest.encode())
        if branch != MAIN and ENTRIES in draft.files:
            draft.put(ENTRIES, entries_file(relationship))
        return draft, message

    _commit(relationship, branch, left)


def _commit(relationship: Relationship, branch: str, change: Change) -> None:
    with suppress(NotFound):  # a session's branch that was deleted meanwhile
        commit_on(relationship, branch, change, by=RAPPORT)


def _commit_message(ids: Collection[UUID]) -> str:
    """The commit's message. It quotes nothing, and identifies the commit when it has to be undone."""
    mark = hashlib.sha256(b"".join(sorted(one.bytes for one in ids))).hexdigest()[:12]
    return f"{TAKES_OUT}is to be forgotten ({mark})"


def _pattern_for(text: str) -> str:
    """A pattern for the text. A short one, which proves nothing, must be a whole line."""
    phrase = phrase_of(text)
    return rf"(?<!\w){phrase}(?!\w)" if len(text) >= SHORTEST else rf"^[^\w\n]*{phrase}[^\w\n]*$"
