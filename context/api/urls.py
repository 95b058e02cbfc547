"""Context's routes under /v1."""

from django.urls import path

from context.api.views import ContextView

urlpatterns = [path("relationships/<uuid:relationship_id>/context", ContextView.as_view())]
