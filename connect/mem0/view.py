"""/mem0: mem0's API, so that a program with mem0's client only has to change its `host`. Off unless RAPPORT_MEM0 is
set.
"""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from connect.mem0 import memories
from connect.mem0.batches import delete_batch, update_batch
from connect.mem0.memories import Given, good
from connect.mem0.requests import Refusal
from connect.own_api import OwnApi
from web.errors import InvalidInput, RapportError
from web.parsing import parse_object, read_bytes


def _ping(api: OwnApi, given: Given) -> Any:
    project = good(api.get("/project"))
    return {"status": "ok", "org_id": project["id"], "project_id": project["id"], "user_email": None}


def _list_entities(api: OwnApi, given: Given) -> Any:
    users = [_entity(one, one["external_id"], "user") for one in api.every("/users", good)]
    agents = [_entity(one, one["slug"], "agent") for one in api.every("/companions", good)]
    return {"count": len(users) + len(agents), "next": None, "previous": None, "results": [*users, *agents]}


def _delete_entity(api: OwnApi, given: Given, kind: str, name: str) -> Any:
    """Permanently erase the person, or the companion with all its relationships, if the key has the scope for that."""
    lists = {"user": ("/users", "external_id"), "agent": ("/companions", "slug")}
    if kind not in lists:
        raise Refusal(501, f"There are no entities of the kind {kind[:40]!r} here: users and agents.")
    path, column = lists[kind]
    query: Given = {"external_id": name} if kind == "user" else {}
    found = next((one for one in api.every(path, good, **query) if one[column] == name), None)
    if found is None:
        raise Refusal(404, "This entity does not exist.")
    good(api.ask("DELETE", f"{path}/{found['id']}"))
    return {"message": "Entity deleted successfully!"}


def _entity(row: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
    return {"id": row["id"], "name": name, "type": kind, "created_at": row.get("created_at")}


# Each is called with the API, what was sent, and the groups of its pattern.
_ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", r"v1/ping", _ping),
    ("POST", r"v[123]/memories/add", memories.add),
    ("POST", r"v1/memories", memories.add),
    ("POST", r"v[23]/memories", memories.list_memories),
    ("POST", r"v[123]/memories/search", memories.search),
    ("GET", r"v1/event/([^/]+)", memories.read_event),
    ("GET", r"v1/entities", _list_entities),
    ("DELETE", r"v[12]/entities/([^/]+)/(.+)", _delete_entity),  # a person's ID may contain slashes
    ("PUT", r"v1/batch", update_batch),
    ("DELETE", r"v1/batch", delete_batch),
    ("DELETE", r"v1/memories", memories.delete_all),
    ("GET", r"v1/memories/([^/]+)", memories.read),
    ("PUT", r"v1/memories/([^/]+)", memories.update),
    ("DELETE", r"v1/memories/([^/]+)", memories.delete),
    ("GET", r"v1/memories/([^/]+)/history", memories.history),
)


@csrf_exempt
def mem0_view(request: HttpRequest, path: str) -> HttpResponse:
    try:
        return JsonResponse(_answer(request, path.lstrip("/").removesuffix("/")), safe=False)
    except Refusal as refused:
        wait = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
        return JsonResponse({"detail": refused.detail}, status=refused.status, headers=wait)
    except RapportError as error:
        status = 400 if isinstance(error, InvalidInput) else 413
        return JsonResponse({"detail": error.detail}, status=status)


def _answer(request: HttpRequest, path: str) -> Any:
    if not settings.MEM0:
        raise Refusal(404, "mem0's protocol is off here: set RAPPORT_MEM0=1.")
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    if scheme not in ("Token", "Bearer") or not key.strip():
        raise Refusal(401, "Send your key as: Authorization: Token rk_...")
    api = OwnApi(request, authorization=f"Bearer {key.strip()}")
    for method, pattern, run in _ROUTES:
        found = re.fullmatch(pattern, path)
        if found and method == request.method:
            return run(api, _given(request), *found.groups())
    good(api.get("/project"))  # don't tell clients without a valid key which routes exist
    raise Refusal(
        501, f"{request.method} /{path[:80]} of mem0 is not offered here; see docs/how-to/come-from-mem0.md."
    )


def _given(request: HttpRequest) -> Given:
    """The parameters of the query string and the body together."""
    raw = read_bytes(request, limit=settings.MAX_BODY_BYTES)
    return {**request.GET.dict(), **(parse_object(raw) if raw.strip() else {})}
