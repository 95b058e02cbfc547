"""/mcp and /mcp/relationships/{id}: who asks is known before the protocol is spoken."""

from typing import Any, ClassVar
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpResponse
from django.utils.module_loading import import_string
from rest_framework.request import Request

from connect.mcp.desk import Desk
from connect.own_api import OwnApi
from relationships.api.views import ApiView
from web.errors import InvalidInput, NotAllowed
from web.parsing import parse_object, read_bytes

_late = import_string  # with the first request that needs it: the SDK takes a second


class McpView(ApiView):
    """Every key and token may speak; what a tool does is held to its scopes by the REST call behind it."""

    open_to_tokens = True
    scopes: ClassVar = {"POST": "read"}
    http_method_names = ["post"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        _check_place(request)
        super().initial(request, *args, **kwargs)

    def check_permissions(self, request: Request) -> None:
        """A token stands for its relationship where the address names none."""
        if self.credentials.relationship_id is not None:
            self.kwargs.setdefault("relationship_id", self.credentials.relationship_id)
        super().check_permissions(request)

    def post(self, request: Request, relationship_id: UUID | None = None) -> HttpResponse:
        asked = parse_object(read_bytes(request, limit=self.max_body_bytes()))
        if "id" in asked and not isinstance(asked["id"], str | int):  # the SDK takes it for a notification
            raise InvalidInput.of("id", "must be a text or a whole number")
        answer: HttpResponse = _late("connect.mcp.transport.serve")(request._request, self.server())
        if asked.get("method") == "initialize" and answer.status_code == 200:
            answer["Mcp-Session-Id"] = uuid4().hex  # a client of 2025-11-25 may insist; nothing is kept
        return answer

    def server(self) -> Any:
        """For this request alone. Raises NotFound for another project's relationship."""
        relationship_id = self.kwargs.get("relationship_id")
        if relationship_id is not None:
            self.get_relationship(relationship_id)
        known = None if relationship_id is None else str(relationship_id)
        api = OwnApi(self.request, authorization=self.request.META["HTTP_AUTHORIZATION"])
        desk = Desk(api, known, f"{self.request.scheme}://{self.request.get_host()}")
        return _late("connect.mcp.server.server_for")(desk)


def _check_place(request: Request) -> None:
    """A page that a browser was led to may not speak to a server on its user's machine. Raises DisallowedHost,
    NotAllowed.
    """
    host = request.get_host()
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.CORS_ALLOWED_ORIGINS or urlsplit(origin).netloc == host:
        return
    raise NotAllowed("Pages of this origin may not call: name it in RAPPORT_CORS_ORIGINS.")
