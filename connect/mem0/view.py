"""/mem0: mem0's API, so that a program with mem0's client only has to change its `host`. Off unless RAPPORT_MEM0 is
set.
"""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from connect.mem0.asking import Refusal
from connect.mem0.batches import delete_batch, update_batch
from connect.mem0.memories import Memories, good
from connect.own_api import OwnApi
from web.errors import InvalidInput, RapportError
from web.parsing import parse_object, read_bytes

Given = dict[str, Any]


def _ping(memories: Memories, given: Given) -> Any:
    project = good(memories.api.get("/project"))
    return {"status": "ok", "org_id": project["id"], "project_id": project["id"], "user_email": None}


def _all(memories: Memories, given: Given) -> Any:
    page, size = (
        _whole_number(given.pop(name, None), name, default)
        for name, default in (("page", 1), ("page_size", 100))
    )
    return memories.all(given, page=page, size=size)


_ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", r"v1/ping", _ping),
    ("POST", r"v[123]/memories/add", lambda memories, given: memories.add(given)),
    ("POST", r"v1/memories", lambda memories, given: memories.add(given)),
    ("POST", r"v[23]/memories", _all),
    ("POST", r"v[123]/memories/search", lambda memories, given: memories.search(given)),
    ("GET", r"v1/event/([^/]+)", lambda memories, given, one: memories.event(one)),
    ("GET", r"v1/entities", lambda memories, given: list_entities(memories)),
    ("DELETE", r"v[12]/entities/([^/]+)/([^/]+)", lambda memories, given, *of: delete_entity(memories, *of)),
    ("PUT", r"v1/batch", lambda memories, given: update_batch(memories.api, given)),
    ("DELETE", r"v1/batch", lambda memories, given: delete_batch(memories.api, given)),
    ("DELETE", r"v1/memories", lambda memories, given: memories.delete_all(given)),
    ("GET", r"v1/memories/([^/]+)", lambda memories, given, one: memories.get(one)),
    ("PUT", r"v1/memories/([^/]+)", lambda memories, given, one: memories.update(one, given)),
    ("DELETE", r"v1/memories/([^/]+)", lambda memories, given, one: memories.delete(one)),
    ("GET", r"v1/memories/([^/]+)/history", lambda memories, given, one: memories.history(one)),
)


@csrf_exempt
def mem0_view(request: HttpRequest, path: str) -> HttpResponse:
    try:
        return JsonResponse(_answer(request, path.strip("/")), safe=False)
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
    memories = Memories(OwnApi(request, authorization=f"Bearer {key.strip()}"))
    for method, pattern, run in _ROUTES:
        found = re.fullmatch(pattern, path)
        if found and method == request.method:
            return run(memories, _given(request), *found.groups())
    good(memories.api.get("/project"))  # don't tell clients without a valid key which routes exist
    raise Refusal(
        501, f"{request.method} /{path[:80]} of mem0 is not offered here; see docs/how-to/come-from-mem0.md."
    )


def _given(request: HttpRequest) -> Given:
    """The parameters of the query string and the body together."""
    raw = read_bytes(request, limit=settings.MAX_BODY_BYTES)
    return {**request.GET.dict(), **(parse_object(raw) if raw.strip() else {})}


def _whole_number(value: Any, name: str, default: int) -> int:
    text = str(default if value is None else value)
    if not re.fullmatch(r"[1-9]\d{0,6}", text, re.ASCII):
        raise Refusal(400, f"{name}: write a whole number from 1.")
    return int(text)


def list_entities(memories: Memories) -> Any:
    users = [_entity(one, one["external_id"], "user") for one in memories.every("/users")]
    agents = [_entity(one, one["slug"], "agent") for one in memories.every("/companions")]
    return {"count": len(users) + len(agents), "next": None, "previous": None, "results": [*users, *agents]}


def delete_entity(memories: Memories, kind: str, name: str) -> Any:
    """Permanently erase the person, or the companion with all its relationships, if the key has the scope for that."""
    lists = {"user": ("/users", "external_id"), "agent": ("/companions", "slug")}
    if kind not in lists:
        raise Refusal(501, f"There are no entities of the kind {kind[:40]!r} here: users and agents.")
    path, column = lists[kind]
    query = {"external_id": name} if kind == "user" else {}
    found = next((one for one in memories.every(path, **query) if one[column] == name), None)
    if found is None:
        raise Refusal(404, "This entity does not exist.")
    good(memories.api.ask("DELETE", f"{path}/{found['id']}"))
    return {"message": "Entity deleted successfully!"}


def _entity(row: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
    return {"id": row["id"], "name": name, "type": kind, "created_at": row.get("created_at")}
