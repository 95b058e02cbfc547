"""The routes of a companion's documents under /v1."""

from django.urls import path

from knowledge.api.documents import (
    DocumentChunksView,
    DocumentRetryView,
    DocumentSearchView,
    DocumentsView,
    DocumentView,
)

DOCUMENTS = "companions/<uuid:companion_id>/documents"
DOCUMENT = f"{DOCUMENTS}/<uuid:document_id>"

urlpatterns = [
    path(DOCUMENTS, DocumentsView.as_view()),
    path(f"{DOCUMENTS}/search", DocumentSearchView.as_view()),
    path(DOCUMENT, DocumentView.as_view()),
    path(f"{DOCUMENT}/retry", DocumentRetryView.as_view()),
    path(f"{DOCUMENT}/chunks", DocumentChunksView.as_view()),
]
