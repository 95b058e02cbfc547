from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from pydantic import TypeAdapter
from rest_framework.request import Request
from rest_framework.response import Response

from knowledge.api.schemas import (
    ChunkAnswer,
    DocumentAnswer,
    DocumentListQuery,
    DocumentSearchBody,
    DocumentUpload,
    KnowledgeFoundAnswer,
    present_chunk,
    present_document,
    present_found,
)
from knowledge.documents import (
    add_document,
    configuration_of,
    delete_document,
    get_document,
    reread_document,
)
from knowledge.models import Document, DocumentChunk
from knowledge.search import search_knowledge
from relationships.api.views import ApiView
from relationships.services.companions import get_companion
from web.fields import Name, Page, PageQuery, checked_value
from web.operations import operation
from web.uploads import MULTIPART, read_upload

TAG = "Documents"
_NAME: TypeAdapter[str] = TypeAdapter(Name)


class DocumentsView(ApiView):
    @operation(
        "documents_list", "List a companion's documents, newest first", answers={200: Page[DocumentAnswer]}
    )
    def get(self, request: Request, companion_id: UUID, query: DocumentListQuery) -> Response:
        get_companion(project_id=self.project_id, companion_id=companion_id)
        rows = Document.objects.of_companion(self.project_id, companion_id).filter(**query.given("state"))
        return self.page(rows, present_document, order=["-created_at", "-id"], query=query)

    @operation(
        "documents_add",
        "Upload a document",
        body=DocumentUpload,
        body_type=MULTIPART,
        answers={200: DocumentAnswer, 201: DocumentAnswer},
        problems=(409,),
    )
    def post(self, request: Request, companion_id: UUID) -> Response:
        """A worker reads it: poll the document until its state is `ready` or `failed`.

        Uploading the same bytes again changes nothing, and answers 200 with the existing document.
        """
        get_companion(project_id=self.project_id, companion_id=companion_id)
        upload = read_upload(request, limit=settings.MAX_DOCUMENT_BYTES, fields=("name",))
        document, is_new = add_document(
            project_id=self.project_id,
            companion_id=companion_id,
            name=checked_value(_NAME, upload.fields.get("name", upload.name), field="name"),
            content=upload.content,
            by=self.actor,
            file_name=upload.name,
        )
        return self.answer(present_document(document), status=201 if is_new else 200)


class DocumentView(ApiView):
    @operation("documents_read", "Read a document", answers={200: DocumentAnswer})
    def get(self, request: Request, companion_id: UUID, document_id: UUID) -> Response:
        """The state of the document, without the file."""
        document = get_document(
            project_id=self.project_id, companion_id=companion_id, document_id=document_id
        )
        return self.answer(present_document(document))

    @operation("documents_delete", "Delete a document", answers={204: None})
    def delete(self, request: Request, companion_id: UUID, document_id: UUID) -> Response:
        """Its file and chunks are deleted immediately."""
        delete_document(
            project_id=self.project_id, companion_id=companion_id, document_id=document_id, by=self.actor
        )
        return self.answer(status=204)


class DocumentRetryView(ApiView):
    @operation(
        "documents_retry",
        "Read a failed or a ready document again",
        answers={202: DocumentAnswer},
        problems=(409,),
    )
    def post(self, request: Request, companion_id: UUID, document_id: UUID) -> Response:
        """Under the current configuration. A ready document is found by its old chunks until the new ones are there."""
        document = reread_document(
            project_id=self.project_id, companion_id=companion_id, document_id=document_id, by=self.actor
        )
        return self.answer(present_document(document), status=202)


class DocumentChunksView(ApiView):
    @operation(
        "document_chunks_list", "List a document's chunks, in their order", answers={200: Page[ChunkAnswer]}
    )
    def get(self, request: Request, companion_id: UUID, document_id: UUID, query: PageQuery) -> Response:
        document = get_document(
            project_id=self.project_id, companion_id=companion_id, document_id=document_id
        )
        rows = DocumentChunk.objects.filter(document_id=document.id).defer("lexemes")
        return self.page(rows, present_chunk, order=["place"], query=query)


class DocumentSearchView(ApiView):
    scopes: ClassVar = {"POST": "read"}  # it changes nothing; POST because a query may be too long for a URL
    counts_as: ClassVar = {"POST": "searches"}

    @operation("documents_search", "Search a companion's documents", answers={200: KnowledgeFoundAnswer})
    def post(self, request: Request, companion_id: UUID, body: DocumentSearchBody) -> Response:
        """Searches all documents of the companion by text and vector."""

        def make() -> dict[str, Any]:
            companion = get_companion(project_id=self.project_id, companion_id=companion_id)
            configuration = configuration_of(companion)
            found = search_knowledge(
                project_id=self.project_id,
                companion_id=companion_id,
                text=body.query,
                knowledge=configuration.knowledge,
                seconds=configuration.retrieval.query_seconds,
                top_k=body.top_k,
                min_score=body.min_score,
            )
            return present_found(found, explain=body.explain)

        return self.answer_by(body, make)
