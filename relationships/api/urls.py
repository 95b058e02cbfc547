"""Everything under /v1 that is about people, companions and what was said."""

from django.urls import URLPattern, path

from relationships.api.docs import DocsView, SchemaView

urlpatterns: list[URLPattern] = [
    path("schema", SchemaView.as_view(), name="schema"),
    path("docs", DocsView.as_view(), name="docs"),
]
