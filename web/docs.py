"""The schema and the page that shows it, open to everybody; the page's JavaScript is served by us."""

from functools import cache
from threading import Lock
from typing import Any

from django.http import HttpResponse
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request

from web.rest_view import JsonOnly

_MAKING = Lock()
# For the page, which has the origin of the admin UI: our own files alone. It sets styles of elements as it shows them.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)


class SchemaView(SpectacularAPIView):
    renderer_classes = [OpenApiJsonRenderer2]
    content_negotiation_class = JsonOnly

    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Serve the cached schema. It needs no key, so it must be cheap, or many requests could slow others down."""
        headers = {"Content-Disposition": 'inline; filename="Rapport.json"'}
        with _MAKING:  # two threads must not make it at once
            document = schema_document()
        return HttpResponse(document, content_type=OpenApiJsonRenderer2.media_type, headers=headers)


@cache
def schema_document() -> bytes:
    """The schema, as written to docs/reference/openapi.json. Takes half a second, once per process."""
    generator: Any = SchemaView.generator_class()
    made = generator.get_schema(request=None, public=True)
    rendered: bytes = OpenApiJsonRenderer2().render(made)
    return rendered


class DocsView(SpectacularSwaggerSplitView):
    url_name = "schema"
    content_negotiation_class = JsonOnly  # the only renderer: a browser gets the page whatever it accepts

    @property
    def default_response_headers(self) -> dict[str, str]:
        return {**super().default_response_headers, "Content-Security-Policy": _POLICY}
