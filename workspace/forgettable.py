"""What of an agent's files says what a person wants forgotten, sentence by sentence: on every branch, and in earlier
versions. Hidden it leaves the branches by a commit, which can be undone; erased it leaves the history too.

A sentence's ID is where it was found: twelve bytes of its content's SHA-256, and its place there.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from config.postgresql.sessions import execute
from memory.mending.candidates import Candidate, Scope
from relationships.models import Relationship
from web.errors import NotFound
from workspace.files import NewTree, commit_on
from workspace.generated import DOCUMENTS, ENTRIES, PROFILE, RULES, TOOLS, entries_file, made_elsewhere
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.identity import RAPPORT, author_of
from workspace.models import MAIN, Blob, Branch
from workspace.redaction import SHORTEST, redact_pattern
from workspace.sentences import EMPTIED, MARKS, sentences_of, without
from workspace.store import Head, read_blobs, read_contents
from workspace.trees import entry_of, key_of, text_of
from workspace.undoing import TAKES_OUT, Undoing

MOST = 5000  # different sentences, those of the branches first
EARLIER = "an earlier version"
_GENERATED = """
SELECT DISTINCT left(f.value ->> 0, 32)::uuid FROM workspace_tree t CROSS JOIN jsonb_each(t.files) f
 WHERE t.relationship_id = %s AND (f.key = ANY(%s) OR starts_with(f.key, %s))
"""


class ForgettableFiles:
    kind = "file"

    def find(self, scope: Scope) -> Iterator[Candidate]:
        """Files that are made of entries, the profile or documents follow those, and are not looked at. Specs of tools
        are of no person: who asks for everything does not mean them. What hot context says, contexts say today.
        """
        seen: set[str] = set()
        now = timezone.now()
        for path, content in _contents(scope.relationship.id):
            if scope.wish.everything and path.startswith(TOOLS):
                continue
            for number, sentence in enumerate(sentences_of(text_of(content) or "")):
                if sentence not in seen and EMPTIED.fullmatch(sentence) is None:
                    seen.add(sentence)
                    told_at = now if path == HOT_CONTEXT else None
                    text = sentence.lstrip(MARKS)
                    yield Candidate(self.kind, _id_of(content, number), text, place=path, told_at=told_at)
                if len(seen) == MOST:
                    return

    def hide(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> set[UUID]:
        """Of every branch, wherever the sentence stands there by now; sessions' copies of the entries are made anew."""
        found = _found(relationship.id, ids)
        for branch in branches_of(relationship.id):
            _take_out(relationship, branch, set(found.values()), message=_said(ids))
        return set(found)

    def restore(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """As a merge brings it back: where the same lines were changed since, they stay as they are."""
        if ids:
            bring_back(relationship, [_said(ids)])
        self.hide(relationship, (), now=now)  # the copies of the entries again

    def erase(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """The branches lose the sentence whole, so that no mark of it is read; the history before keeps a mark."""
        texts = {text.lstrip(MARKS) for text in _found(relationship.id, ids).values()}
        if texts:
            self.hide(relationship, ids, now=now)
            redact_pattern(
                relationship.id, re.compile("|".join(map(_spelt, sorted(texts))), re.IGNORECASE | re.M)
            )


def bring_back(relationship: Relationship, messages: Collection[str]) -> None:
    """On every branch what commits with these messages took out."""
    undoing = Undoing(relationship.id, messages)
    for branch in branches_of(relationship.id) if undoing.taken else ():
        _commit(relationship, branch, undoing)


def renew_entries(relationship: Relationship, branch: str) -> None:
    """Make a session's copy of the entries say what they say by now."""
    _take_out(relationship, branch, set(), message="Bring in what is known")


def _contents(relationship_id: UUID) -> Iterator[tuple[str, bytes]]:
    """Every content with a path: of the branches, then of what was there before."""
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


def _id_of(content: bytes, number: int) -> UUID:
    return UUID(bytes=hashlib.sha256(content).digest()[:12] + number.to_bytes(4))


def _found(relationship_id: UUID, ids: Iterable[UUID]) -> dict[UUID, str]:
    """The sentences with these IDs, as far as their contents are still kept."""
    found: dict[UUID, str] = {}
    for one in ids:
        first, last = (UUID(bytes=one.bytes[:12] + end * 4) for end in (b"\x00", b"\xff"))
        for blob in Blob.objects.for_relationship(relationship_id).filter(id__range=(first, last)):
            there = list(sentences_of(text_of(bytes(blob.content)) or ""))
            if (number := int.from_bytes(one.bytes[12:])) < len(there):
                found[one] = there[number]
    return found


def _take_out(relationship: Relationship, branch: str, gone: set[str], *, message: str) -> None:
    def left(head: Head) -> NewTree:
        files, blobs = dict(head.files), dict[UUID, bytes]()
        contents = read_blobs(relationship.id, files.values()) if gone else {}
        for path, entry in head.files.items() if gone else ():
            if (branch == MAIN and made_elsewhere(path)) or path == ENTRIES:
                continue
            rest = without(text_of(contents[entry.sha256]) or "", gone)
            if rest is not None:
                files[path] = entry_of(rest.encode(), mode=entry.mode)
                blobs[key_of(files[path].sha256)] = rest.encode()
        made = entries_file(relationship) if branch != MAIN and ENTRIES in files else b""
        if made and entry_of(made).sha256 != files[ENTRIES].sha256:
            files[ENTRIES] = entry_of(made, mode=files[ENTRIES].mode)
            blobs[key_of(files[ENTRIES].sha256)] = made
        return files, blobs, message

    _commit(relationship, branch, left)


def _commit(relationship: Relationship, branch: str, change: Callable[[Head], NewTree]) -> None:
    with suppress(NotFound):  # a session's branch that went meanwhile
        commit_on(relationship, branch, change, author_of(RAPPORT), by=RAPPORT)


def _said(ids: Collection[UUID]) -> str:
    """The commit's message: it names no word, and by it the commit is found again."""
    mark = hashlib.sha256(b"".join(sorted(one.bytes for one in ids))).hexdigest()[:12]
    return f"{TAKES_OUT}is to be forgotten ({mark})"


def _spelt(text: str) -> str:
    """Any spacing and case; what is too short to be a quotation only where it is all of a line."""
    words = r"\s+".join(map(re.escape, text.split()))
    return rf"(?<!\w){words}(?!\w)" if len(text) >= SHORTEST else rf"^\W*{words}\W*$"
