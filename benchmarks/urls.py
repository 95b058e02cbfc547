from django.urls import URLPattern, URLResolver, include, path

from benchmarks.ok import OkView

urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/bench/ok", OkView.as_view()),
    path("", include("config.urls")),
]
