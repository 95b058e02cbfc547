"""The schema and the page that shows it, open to everybody; the page's JavaScript is served by us."""

from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from relationships.api.views import JsonOnly


class SchemaView(SpectacularAPIView):
    renderer_classes = [OpenApiJsonRenderer2]
    content_negotiation_class = JsonOnly


class DocsView(SpectacularSwaggerView):
    url_name = "schema"
    content_negotiation_class = (
        JsonOnly  # the one renderer there is: a browser gets the page whatever it accepts
    )
