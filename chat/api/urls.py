"""Chat's routes under /v1."""

from django.urls import path

from chat.api.views import ChatView, ModelsView

urlpatterns = [
    path("chat/completions", ChatView.as_view()),
    path("models", ModelsView.as_view()),
]
