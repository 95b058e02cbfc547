from django.urls import URLPattern, URLResolver, include, path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class OkView(APIView):
    """A view that does nothing, with the same server, middleware, authentication and renderer."""

    def get(self, request: Request) -> Response:
        return Response("ok")


urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/bench/ok", OkView.as_view()),
    path("", include("config.urls")),
]
