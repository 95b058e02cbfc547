"""Finds what a person wants forgotten in the companion's documents. It is only shown, as other people use them too."""

from collections.abc import Iterator
from itertools import islice

from knowledge.models import Document, DocumentChunk
from memory.mending.candidates import Candidate, Forgettable, Scope
from memory.mending.collecting import MOST_READ
from memory.mending.matching import WithWords

MOST = 20  # chunks that are listed
PIECE = 200
EVERYBODYS = "is a document of the companion, which other people read too"


class ForgettableDocuments(Forgettable):
    """Lists chunks in a plan, for somebody to look at. They can't be hidden or erased by it."""

    kind = "document"

    def find(self, scope: Scope) -> Iterator[Candidate]:
        """Yield the first chunks that have all words of the wish, in any spelling."""
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
