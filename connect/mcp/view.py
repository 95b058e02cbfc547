"""/mcp and /mcp/relationships/{id}: authenticates the request, then hands it to the MCP server."""

from typing import Any, ClassVar
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpResponse
from django.utils.module_loading import import_string
from rest_framework.request import Request

from connect.mcp.handlers import Desk
from connect.own_api import OwnApi
from relationships.api.views import ApiView
from web.errors import InvalidInput, NotAllowed
from web.parsing import parse_object, read_bytes


class McpView(ApiView):
    """Open to every key and token. The REST calls behind the tools check the scopes."""

    open_to_tokens = True
    scopes: ClassVar = {"POST": "read"}
    http_method_names = ["post"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        _check_origin(request)
        super().initial(request, *args, **kwargs)

    def check_permissions(self, request: Request) -> None:
        """Use the token's relationship if the URL names none."""
        if request.auth is not None and self.credentials.relationship_id is not None:
            self.kwargs.setdefault("relationship_id", self.credentials.relationship_id)
        super().check_permissions(request)

    def post(self, request: Request, relationship_id: UUID | None = None) -> HttpResponse:
        asked = parse_object(read_bytes(request, limit=self.max_body_bytes()))
        _check_message(asked)
        serve = import_string("connect.mcp.transport.serve")  # now, as the SDK takes a second to import
        answer: HttpResponse = serve(request._request, self.server())
        if asked.get("method") == "initialize" and answer.status_code == 200:
            answer["Mcp-Session-Id"] = uuid4().hex  # clients of 2025-11-25 may expect one; no session is kept
        return answer

    def server(self) -> Any:
        """Build the server for this request. Raises NotFound for another project's relationship."""
        relationship_id = self.kwargs.get("relationship_id")
        if relationship_id is not None:
            self.get_relationship(relationship_id)
        known = None if relationship_id is None else str(relationship_id)
        api = OwnApi(self.request, authorization=self.request.META["HTTP_AUTHORIZATION"])
        desk = Desk(api, known, f"{self.request.scheme}://{self.request.get_host()}")
        return import_string("connect.mcp.server.server_for")(desk)


def _check_message(asked: dict[str, Any]) -> None:
    """Raises InvalidInput if it is no message of JSON-RPC; the SDK would say so in the words of its own models."""
    if type(asked.get("id", "")) not in (str, int):  # the SDK would treat it as a notification
        raise InvalidInput.of("id", "must be a text or a whole number")
    if asked.get("jsonrpc") != "2.0":
        raise InvalidInput.of("jsonrpc", 'must be "2.0"')
    if not isinstance(asked.get("method"), str) and not asked.keys() & {"result", "error"}:
        raise InvalidInput.of("method", "must name a method, such as tools/list")
    if not isinstance(asked.get("params", {}), dict):
        raise InvalidInput.of("params", "must be an object")


def _check_origin(request: Request) -> None:
    """Refuse foreign origins, so that a web page can't reach a server on its visitor's machine. Raises DisallowedHost,
    NotAllowed.
    """
    host = request.get_host()
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.CORS_ALLOWED_ORIGINS or urlsplit(origin).netloc == host:
        return
    raise NotAllowed(
        "Pages of this origin may not call this server: name the origin in RAPPORT_CORS_ORIGINS."
    )
