"""The page on which a person sees and corrects what is remembered about them.

It holds nobody's data: its script calls the REST API with the relationship token in the link's fragment, which browsers
send to no server, so the page may do what the token may, and nothing else.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

# Only our own files. Frames: sites of the developer's own, which may call the API, too.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)


@require_safe
def memory_page(request: HttpRequest) -> HttpResponse:
    policy = " ".join([_POLICY, *settings.CORS_ALLOWED_ORIGINS])
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
    return HttpResponse(render_to_string("memory_page.html"), headers=headers)
