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
from memory.mending.judging import pieces
from relationships.models import Relationship
from web.errors import NotFound
from workspace.files import NewTree, commit_on
from workspace.generated import DOCUMENTS, ENTRIES, PROFILE, RULES, TOOLS, entries_file, made_elsewhere
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.identity import RAPPORT, author_of
from workspace.merging import merge_trees
from workspace.models import MAIN, Blob, Branch, Commit
from workspace.redaction import SHORTEST, redact_pattern
from workspace.store import Head, read_blobs, read_commit, read_contents
from workspace.trees import Entry, entry_of, key_of, text_of

MOST = 5000  # different sentences, those of the branches first
EARLIER = "an earlier version"
_MARKS = "-*+>#| \t"  # of a list, a heading, a table
_EMPTIED = re.compile(r"[\W\d_]*")  # what is left of a line whose words went
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
                if sentence not in seen and _EMPTIED.fullmatch(sentence) is None:
                    seen.add(sentence)
                    told_at = now if path == HOT_CONTEXT else None
                    text = sentence.lstrip(_MARKS)
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
        texts = {text.lstrip(_MARKS) for text in _found(relationship.id, ids).values()}
        if texts:
            self.hide(relationship, ids, now=now)
            redact_pattern(
                relationship.id, re.compile("|".join(map(_spelt, sorted(texts))), re.IGNORECASE | re.M)
            )


def bring_back(relationship: Relationship, messages: Collection[str]) -> None:
    """On every branch what commits with these messages took out."""
    owned = Commit.objects.for_relationship(relationship.id).filter(message__in=messages)
    for taken in owned.order_by("-recorded_at"):
        after = read_commit(relationship.id, taken.id)
        before = read_commit(relationship.id, taken.parents[0])
        if before and after:
            for branch in branches_of(relationship.id):
                _bring_back(relationship, branch, before, after)


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


def sentences_of(text: str) -> Iterator[str]:
    return (sentence for line in text.splitlines() for sentence in map(_plain, pieces(line)) if sentence)


def _plain(piece: str) -> str:
    return " ".join(piece.split())


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


def without(text: str, gone: set[str]) -> str | None:
    """The text without these sentences, and without lines that held nothing else; None: it has none of them."""
    lines = text.splitlines(keepends=True)
    left = [line if (rest := _rest(line, gone)) == line else rest for line in lines]
    return None if left == lines else "".join(left)


def _rest(line: str, gone: set[str]) -> str:
    body = line.rstrip("\r\n")
    parts = list(pieces(body))
    kept = [part for part in parts if _plain(part) not in gone]
    if len(kept) == len(parts):
        return line
    rest = "".join(kept).rstrip()
    if _plain(parts[0]) in gone:  # an item of a list stays one
        rest = body[: len(body) - len(body.lstrip(_MARKS))] + rest.lstrip()
    return "" if _EMPTIED.fullmatch(rest) else rest + line[len(body) :]


def _bring_back(relationship: Relationship, branch: str, before: Head, after: Head) -> None:
    def read(entry: Entry) -> bytes:
        return read_blobs(relationship.id, [entry])[entry.sha256]

    def brought_back(head: Head) -> NewTree:
        merged = merge_trees(after.files, head.files, before.files, read=read, label="undo")
        files = head.files if merged.held else merged.files
        return files, merged.blobs, "Bring back what was taken out"

    _commit(relationship, branch, brought_back)


def _commit(relationship: Relationship, branch: str, change: Callable[[Head], NewTree]) -> None:
    with suppress(NotFound):  # a session's branch that went meanwhile
        commit_on(relationship, branch, change, author_of(RAPPORT), by=RAPPORT)


def _said(ids: Collection[UUID]) -> str:
    """The commit's message: it names no word, and by it the commit is found again."""
    mark = hashlib.sha256(b"".join(sorted(one.bytes for one in ids))).hexdigest()[:12]
    return f"Take out what is to be forgotten ({mark})"


def _spelt(text: str) -> str:
    """Any spacing and case; what is too short to be a quotation only where it is all of a line."""
    words = r"\s+".join(map(re.escape, text.split()))
    return rf"(?<!\w){words}(?!\w)" if len(text) >= SHORTEST else rf"^\W*{words}\W*$"
