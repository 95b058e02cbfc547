"""Every URL prefix of the service, on one screen."""

from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import TemplateView

urlpatterns: list[URLPattern | URLResolver] = [
    # Tried in this order: first what is called before and after every reply. Erasure (upkeep) adds DELETE to views of
    # relationships, so it comes before them.
    path("v1/", include("context.api.urls")),
    path("v1/", include("memory.api.urls")),
    path("v1/", include("chat.api.urls")),
    path("v1/", include("upkeep.api.urls")),
    path("v1/", include("knowledge.api.urls")),
    path("v1/", include("summaries.api.urls")),
    path("v1/", include("behaviours.api.urls")),
    path("v1/", include("workspace.api.urls")),
    path("v1/", include("relationships.api.urls")),
    path("", include("connect.urls")),
    path("", TemplateView.as_view(template_name="landing.html")),
    path("", include("worker.api.urls")),
    path("git/", include("workspace.git.urls")),
    path("admin-ui/", include("admin_ui.urls")),
]

handler400 = "web.middleware.unreadable"
