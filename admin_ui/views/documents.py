"""What a companion knows beside its people: documents, their pieces, and what a question finds in them."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView, render_page_or_part
from admin_ui.paging import CHUNKS_A_PAGE, page_of
from admin_ui.params import text_param
from admin_ui.sorting import Sort
from admin_ui.words import sentence_of
from knowledge.documents import (
    add_document,
    configuration_of,
    delete_document,
    get_document,
    reread_document,
)
from knowledge.models import Document, DocumentChunk, DocumentState
from knowledge.search import search_knowledge
from relationships.models import Companion
from web.errors import RapportError

QUESTION_LIMIT = 2000
_UNSETTLED = (DocumentState.PENDING, DocumentState.PROCESSING)

SORT = Sort(
    {
        "name": ("name", "id"),
        "state": ("state", "name", "id"),
        "chunks": ("chunk_count", "name", "id"),
        "added": ("created_at", "id"),
    },
    usual="-added",
)


class DocumentsView(OperatorView):
    def get(self, request: HttpRequest, companion_id: UUID) -> HttpResponse:
        return self._page(request, self.get_companion(companion_id))

    def post(self, request: HttpRequest, companion_id: UUID) -> HttpResponse:
        companion = self.get_companion(companion_id)
        file = request.FILES.get("file")
        if file is None or file.size is None:
            return self._page(request, companion, why="Choose a file first.", status=422)
        if file.size > settings.MAX_DOCUMENT_BYTES:
            why = f"The file has {file.size} bytes; the limit is {settings.MAX_DOCUMENT_BYTES}."
            return self._page(request, companion, why=why, status=413)
        try:
            document, is_new = add_document(
                project_id=self.access.project.id,
                companion_id=companion_id,
                name=(file.name or "document").replace("\x00", "")[:200],
                content=file.read(),
                by=self.access.actor,
            )
        except RapportError as error:
            return self._page(request, companion, why=sentence_of(error), status=422)
        said = (
            "Uploaded. A worker is processing it."
            if is_new
            else f"This file already exists as {document.name}."
        )
        messages.success(request, said)
        return redirect("admin_ui:companion_documents", companion_id)

    def _page(self, request: HttpRequest, companion: Companion, **more: Any) -> HttpResponse:
        status = more.pop("status", 200)
        rows = Document.objects.of_companion(self.access.project.id, companion.id)
        page = page_of(request, rows, sort=SORT)
        question = text_param(request.GET, "question", limit=QUESTION_LIMIT)
        ctx = {
            "companion": companion,
            "page": page,
            "unsettled": any(document.state in _UNSETTLED for document in page.rows),
            "question": question,
            "limit": settings.MAX_DOCUMENT_BYTES // 1_000_000,
            **self._found(companion, question),
            **more,
        }
        return render_page_or_part(
            request, "documents/list", "documents/_table", ctx, target="documents", status=status
        )

    def _found(self, companion: Companion, question: str) -> dict[str, Any]:
        if not question:
            return {}
        configuration = configuration_of(companion)
        found = search_knowledge(
            project_id=companion.project_id,
            companion_id=companion.id,
            text=question,
            knowledge=configuration.knowledge,
            seconds=configuration.retrieval.query_seconds,
        )
        return {"found": found}


class DocumentView(OperatorView):
    def get(self, request: HttpRequest, companion_id: UUID, document_id: UUID) -> HttpResponse:
        companion = self.get_companion(companion_id)
        document = get_document(
            project_id=self.access.project.id, companion_id=companion_id, document_id=document_id
        )
        chunks = DocumentChunk.objects.filter(document_id=document_id).order_by("place")
        page = page_of(request, chunks, size=CHUNKS_A_PAGE)
        ctx = {"companion": companion, "document": document, "page": page}
        return render(request, "admin_ui/documents/detail.html", ctx)

    def post(self, request: HttpRequest, companion_id: UUID, document_id: UUID) -> HttpResponse:
        """Read it again, or take it away with all its pieces."""
        where = {
            "project_id": self.access.project.id,
            "companion_id": companion_id,
            "document_id": document_id,
        }
        if request.POST.get("do") == "delete":
            delete_document(**where, by=self.access.actor)
            messages.success(request, "Document deleted.")
        else:
            reread_document(**where, by=self.access.actor)
            messages.success(request, "A worker is processing it again.")
        return redirect("admin_ui:companion_documents", companion_id)
