"""The routes of a companion's documents under /v1."""

from django.urls import path

from knowledge.api import documents

DOCUMENTS = "companions/<uuid:companion_id>/documents"
DOCUMENT = f"{DOCUMENTS}/<uuid:document_id>"

urlpatterns = [
    path(DOCUMENTS, documents.DocumentsView.as_view()),
    path(f"{DOCUMENTS}/search", documents.DocumentSearchView.as_view()),
    path(DOCUMENT, documents.DocumentView.as_view()),
    path(f"{DOCUMENT}/retry", documents.DocumentRetryView.as_view()),
    path(f"{DOCUMENT}/chunks", documents.DocumentChunksView.as_view()),
]
