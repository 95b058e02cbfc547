"""Finds what a person wants forgotten in a companion's documents: only shown, as documents belong to everybody."""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import islice
from uuid import UUID

from knowledge.models import Document, DocumentChunk
from memory.mending.candidates import Candidate, Scope
from memory.mending.matching import WithWords
from memory.mending.reading import MOST_READ
from relationships.models import Relationship

MOST = 20  # pieces that are listed
PIECE = 200
EVERYBODYS = "is a document of the companion, which other people read too"


class ForgettableDocuments:
    """A plan lists the pieces, so that somebody can look; nothing of them is hidden or erased by it."""

    kind = "document"

    def find(self, scope: Scope) -> Iterator[Candidate]:
        """The first pieces that have all of the wish's words, in any spelling."""
        if not scope.wish.must:
            return
        has_words = WithWords(scope.relationship.id, scope.wish.text, words=scope.wish.must)
        chunks = DocumentChunk.objects.filter(companion_id=scope.relationship.companion_id)
        found: list[DocumentChunk] = []
        listed = chunks.only("document_id", "content").order_by("document_id", "place")
        rows = listed.iterator(chunk_size=PIECE)
        while len(found) < MOST and has_words.read < MOST_READ and (piece := list(islice(rows, PIECE))):
            found += has_words(piece)
        names = Document.objects.in_bulk({row.document_id for row in found[:MOST]})
        for row in found[:MOST]:
            if document := names.get(row.document_id):
                yield Candidate(self.kind, document.id, row.content, fixed=EVERYBODYS, place=document.name)

    def hide(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> set[UUID]:
        """Never asked for: every piece is fixed."""
        return set()

    def restore(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """The same."""

    def erase(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """The same."""
