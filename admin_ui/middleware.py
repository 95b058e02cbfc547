"""What a browser may do on the admin UI's pages: run and show our own files, and nothing else."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

PREFIX = "/admin-ui/"
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)


class PageSecurityMiddleware:
    """Sets the headers of every answer under the admin UI's prefix; memory is never kept by a cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path.startswith(PREFIX):
            response.headers["Content-Security-Policy"] = POLICY
            response.headers.setdefault("Cache-Control", "no-store")
            response.headers["Referrer-Policy"] = "same-origin"
        return response
