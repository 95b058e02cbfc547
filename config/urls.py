"""Every URL prefix of the service, on one screen."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("memory.api.health_urls")),
    path("v1/", include("memory.api.urls")),
    path("v1/", include("relationships.api.urls")),
    path("v1/", include("context.api.urls")),
]
