"""What of a companion's documents says what a person wants forgotten: shown, never taken. They are everybody's."""

from collections.abc import Collection, Iterator
from datetime import datetime
from functools import reduce
from operator import and_
from uuid import UUID

from django.db.models import Q

from knowledge.models import DocumentChunk
from memory.mending.candidates import Candidate, Scope
from relationships.models import Relationship

MOST = 20  # pieces
EVERYBODYS = "is a document of the companion, which other people read too"


class ForgettableDocuments:
    """A plan lists the pieces, so that somebody can look; nothing of them is hidden or erased by it."""

    kind = "document"

    def find(self, scope: Scope) -> Iterator[Candidate]:
        words = [word for word in scope.wish.must if not word.identifier]
        if not words or len(words) != len(scope.wish.must):
            return
        said = [
            reduce(lambda one, two: one | two, [Q(content__icontains=form) for form in word.forms])
            for word in words
        ]
        rows = DocumentChunk.objects.filter(companion_id=scope.relationship.companion_id).filter(
            reduce(and_, said)
        )
        for row in rows.select_related("document").order_by("document_id", "place")[:MOST]:
            yield Candidate(
                self.kind, row.document_id, row.content, fixed=EVERYBODYS, place=row.document.name
            )

    def hide(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> set[UUID]:
        """Never asked for: every piece is fixed."""
        return set()

    def restore(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """The same."""

    def erase(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """The same."""
