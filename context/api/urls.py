"""Context's routes under /v1."""

from django.urls import path

from context.api.documents import (
    DocumentChunksView,
    DocumentRetryView,
    DocumentSearchView,
    DocumentsView,
    DocumentView,
)
from context.api.views import ContextView

DOCUMENTS = "companions/<uuid:companion_id>/documents"
DOCUMENT = f"{DOCUMENTS}/<uuid:document_id>"

urlpatterns = [
    path("relationships/<uuid:relationship_id>/context", ContextView.as_view()),
    path(DOCUMENTS, DocumentsView.as_view()),
    path(f"{DOCUMENTS}/search", DocumentSearchView.as_view()),
    path(DOCUMENT, DocumentView.as_view()),
    path(f"{DOCUMENT}/retry", DocumentRetryView.as_view()),
    path(f"{DOCUMENT}/chunks", DocumentChunksView.as_view()),
]
