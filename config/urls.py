"""Every URL prefix of the service, on one screen."""

from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

urlpatterns: list[URLPattern | URLResolver] = [
    # They are tried in turn: first what is asked before every reply. Erasure adds DELETE to views of memory and of
    # relationships, so it comes before them.
    path("v1/", include("context.api.urls")),
    path("v1/", include("upkeep.api.urls")),
    path("v1/", include("memory.api.urls")),
    path("v1/", include("knowledge.api.urls")),
    path("v1/", include("workspace.api.urls")),
    path("v1/", include("relationships.api.urls")),
    path("", RedirectView.as_view(url="/v1/docs")),  # whoever opens the address finds something to read
    path("", include("worker.api.urls")),
    path("git/", include("workspace.git.urls")),
    path("admin-ui/", include("admin_ui.urls")),
]
