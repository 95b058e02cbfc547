from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import RevisionPage
from memory.api.presenters import present_revision
from memory.models import EntryRevision
from relationships.api.fields import PageQuery
from relationships.api.operations import operation
from relationships.api.pagination import page_of
from relationships.api.views import ApiView
from relationships.errors import NotFound


class EntryHistoryView(ApiView):
    open_to_tokens = True

    @operation(
        "entries_history",
        tag="Entries",
        summary="An entry's every change, newest first",
        query=PageQuery,
        answers={200: RevisionPage},
    )
    def get(self, request: Request, relationship_id: UUID, entry_id: UUID) -> Response:
        """It outlives the entry: of one that was erased, what happened and when, without its text."""
        query = self.query(PageQuery)
        self.get_relationship(relationship_id)
        rows = EntryRevision.objects.for_relationship(relationship_id).filter(entry_id=entry_id)
        page = page_of(rows, order=["-seq"], page=query, present=present_revision)
        if not page["items"] and query.cursor is None:
            raise NotFound("This entry is not there.")
        return self.answer(page)


class HistoryView(ApiView):
    open_to_tokens = True

    @operation(
        "history_list",
        tag="Entries",
        summary="Every change of the relationship's memory, newest first",
        query=PageQuery,
        answers={200: RevisionPage},
    )
    def get(self, request: Request, relationship_id: UUID) -> Response:
        query = self.query(PageQuery)
        self.get_relationship(relationship_id)
        rows = EntryRevision.objects.for_relationship(relationship_id)
        return self.answer(page_of(rows, order=["-seq"], page=query, present=present_revision))
