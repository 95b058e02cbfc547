"""A companion's documents: uploading, reading again, deleting, and a search over their passages."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from admin_ui.access import OperatorView
from admin_ui.paging import CHUNKS_A_PAGE, Sort, page_of
from admin_ui.params import text_param
from admin_ui.words import sentence_of
from knowledge.documents import add_document, configuration_of, delete_document, get_document, reread_document
from knowledge.models import Document, DocumentChunk, DocumentState
from knowledge.search import FoundKnowledge, search_knowledge
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
    default="-added",
)


class DocumentsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        file = request.FILES.get("file")
        if file is None or file.size is None:
            return self._page(why="Choose a file first.", status=422)
        if file.size > settings.MAX_DOCUMENT_BYTES:
            why = f"The file has {file.size} bytes; the limit is {settings.MAX_DOCUMENT_BYTES}."
            return self._page(why=why, status=413)
        try:
            document, is_new = add_document(
                project_id=self.project_id,
                companion_id=self.companion.id,
                name=(file.name or "document").replace("\x00", "")[:200],
                content=file.read(),
                by=self.actor,
            )
        except RapportError as error:
            return self._page(why=sentence_of(error), status=422)
        exists = f"This file already exists as {document.name}."
        message = "Uploaded. A worker is processing it." if is_new else exists
        return self.redirect_with_message(message, "admin_ui:companion_documents", self.companion.id)

    def _page(self, **more: Any) -> HttpResponse:
        rows = Document.objects.of_companion(self.project_id, self.companion.id)
        page = page_of(self.request, rows, sort=SORT)
        question = text_param(self.request.GET, "question", limit=QUESTION_LIMIT)
        return self.show_or_part(
            "documents/list",
            "documents/_table",
            target="documents",
            page=page,
            unsettled=any(document.state in _UNSETTLED for document in page.rows),
            question=question,
            found=self._found(question) if question else None,
            limit=settings.MAX_DOCUMENT_BYTES // 1_000_000,
            **more,
        )

    def _found(self, question: str) -> FoundKnowledge:
        configuration = configuration_of(self.companion)
        return search_knowledge(
            project_id=self.project_id,
            companion_id=self.companion.id,
            text=question,
            knowledge=configuration.knowledge,
            seconds=configuration.retrieval.query_seconds,
        )


class DocumentView(OperatorView):
    def get(self, request: HttpRequest, document_id: UUID) -> HttpResponse:
        document = get_document(**self._key(document_id))
        chunks = DocumentChunk.objects.filter(document_id=document_id).order_by("place")
        page = page_of(request, chunks, size=CHUNKS_A_PAGE)
        return self.show("documents/detail", document=document, page=page)

    def post(self, request: HttpRequest, document_id: UUID) -> HttpResponse:
        """Delete the document, or have it read again."""
        key = self._key(document_id)
        documents = ("admin_ui:companion_documents", key["companion_id"])
        if request.POST.get("do") == "delete":
            delete_document(**key, by=self.actor)
            return self.redirect_with_message("Document deleted.", *documents)
        reread_document(**key, by=self.actor)
        return self.redirect_with_message("A worker is processing it again.", *documents)

    def _key(self, document_id: UUID) -> dict[str, Any]:
        # the services look the document up by project and companion, so the companion is not loaded
        companion_id = self.kwargs["companion_id"]
        return {"project_id": self.project_id, "companion_id": companion_id, "document_id": document_id}
