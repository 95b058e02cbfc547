"""Chat's routes under /v1."""

from django.urls import path, re_path

from chat.api.contexts import KeptContextView
from chat.api.responses import ResponsesView, ResponseView
from chat.api.tools import ToolsView, ToolView
from chat.api.views import ChatView, ModelsView, ModelView, not_served

urlpatterns = [
    path("chat/completions", ChatView.as_view()),
    path("responses", ResponsesView.as_view()),
    path("responses/<str:response_id>", ResponseView.as_view()),
    re_path(r"^(?:responses|conversations|completions|embeddings)(?:/.*)?$", not_served),
    path("models", ModelsView.as_view()),
    path("models/<str:model>", ModelView.as_view()),
    path("tools", ToolsView.as_view()),
    path("relationships/<uuid:relationship_id>/tools/<str:name>", ToolView.as_view()),
    path("relationships/<uuid:relationship_id>/contexts/<uuid:context_id>", KeptContextView.as_view()),
]
