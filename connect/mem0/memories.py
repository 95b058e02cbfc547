"""mem0's operations on memories, by calls of our own REST API."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from rest_framework.exceptions import AuthenticationFailed

from connect.mem0.requests import NOT_HERE, Refusal, Whose, end_of, last_day, said, two_ids, when, whose
from connect.own_api import MOST, Answered, OwnApi
from memory.api.entries import NEWEST_FIRST
from memory.models import ScratchpadEntry
from web.errors import TooManyRequests
from web.pagination import cursor_after

_STATUS = {
    "pending": "PENDING",
    "processing": "RUNNING",
    "applied": "SUCCEEDED",
    "skipped": "SUCCEEDED",
    "failed": "FAILED",
}
_EVENT = {"add": "ADD", "delete": "DELETE"}  # of any other change: UPDATE
# What mem0 calls fields of our own API.
_CALLED = {
    "user": "user_id",
    "companion": "agent_id",
    "session": "run_id",
    "entries": "messages",
    "content": "text",
    "tags": "metadata",
    "min_score": "threshold",
    "expires_at": "expiration_date",
    "occurred_at": "timestamp",
}
Given = dict[str, Any]


def add(api: OwnApi, given: Given) -> Any:
    """Store the messages as one turn, which a worker reads; with `infer: false`, each message as an entry."""
    for name, way_out in NOT_HERE.items():
        if given.get(name) is not None:
            raise Refusal(400, f"{name}: is not read here. {way_out}")
    as_they_are = given.get("infer") is False
    if not as_they_are and given.get("expiration_date") is not None:
        raise Refusal(
            400, "expiration_date: is used only with infer=False, because learnt entries have their own."
        )
    meant, messages, tags = whose(given, stored=True), said(given), {}
    if not as_they_are:
        tags = _tags(given.get("metadata") or {})
    elif len(messages) > settings.MAX_MESSAGES_PER_TURN:
        raise Refusal(400, f"messages: send at most {settings.MAX_MESSAGES_PER_TURN} at once.")
    relationship = _get_or_create(api, meant)
    if as_they_are:
        return _add_as_entries(api, relationship, messages, given)
    turn: dict[str, Any] = {"messages": messages, "tags": tags}
    if meant.session is not None:
        turn["session"] = meant.session
    if at := when(given.get("timestamp"), "timestamp"):
        turn["occurred_at"] = at
    wait = 30 if given.get("async_mode") is False else None
    stored = good(api.post(f"/relationships/{relationship}/turns", turn, wait=wait))
    results = [
        {
            "id": f"{relationship}.{one['entry_id']}",
            "memory": one["content"],
            "event": _EVENT.get(one["event"], "UPDATE"),
        }
        for one in stored["remembered"] or []
    ]
    status = _STATUS[stored["state"]]
    event_id = f"{relationship}.{stored['id']}"
    return {"message": "The turn is stored.", "status": status, "event_id": event_id, "results": results}


def _add_as_entries(api: OwnApi, relationship: str, messages: list[dict[str, Any]], given: Given) -> Any:
    entries = []
    for message in messages:
        entry = {"content": message["content"], "type": "other", "metadata": given.get("metadata") or {}}
        at = message.get("occurred_at") or when(given.get("timestamp"), "timestamp")
        entry |= {} if at is None else {"effective_at": at}
        if ends := end_of(given.get("expiration_date")):
            entry["expires_at"] = ends
        entries.append(entry)
    path = f"/relationships/{relationship}/entries"
    stored = api.post(f"{path}/bulk", {"entries": entries})
    if stored.status == 422 and all(one["field"].count(".") == 1 for one in stored.body["errors"]):
        added = (api.add_entry(path, entry) for entry in entries)  # each is valid: add them one by one
        told = [(good(one), "ADD" if is_new else "NONE") for one, is_new in added]
    else:
        told = [(one, "ADD") for one in good(stored)["items"]]
    results = [
        {"id": f"{relationship}.{one['id']}", "memory": one["content"], "event": event} for one, event in told
    ]
    return {"message": "Kept as they are.", "status": "SUCCEEDED", "results": results}


def read_event(api: OwnApi, given: Given, event_id: str) -> Any:
    relationship, turn = two_ids(event_id)
    found = good(api.get(f"/relationships/{relationship}/turns/{turn}"))
    return {"id": event_id, "status": _STATUS[found["state"]], "error": found["error"]}


def search(api: OwnApi, given: Given) -> Any:
    meant = whose(given, stored=False)
    relationship = _find(api, meant)
    if relationship is None:
        return {"results": []}
    asked = {"query": given.get("query"), "top_k": given.get("top_k") or given.get("limit") or 10}
    if given.get("threshold") is not None:
        asked["min_score"] = given["threshold"]
    items = good(api.post(f"/relationships/{relationship}/entries/search", asked))["items"]
    return {"results": [shown(one, relationship, meant) | {"score": one["score"]} for one in items]}


def list_memories(api: OwnApi, given: Given) -> Any:
    page, size = (
        _whole_number(given.pop(name, None), name, default)
        for name, default in (("page", 1), ("page_size", 100))
    )
    meant = whose(given, stored=False)
    relationship, start = _find(api, meant), (page - 1) * size
    count, entries = 0, list[Any]()
    if relationship is not None:
        rows = ScratchpadEntry.objects.for_relationship(UUID(relationship)).active()
        count, cursor = rows.count(), cursor_after(rows, start, order=NEWEST_FIRST)
        if start == 0 or cursor is not None:
            entries = api.every(f"/relationships/{relationship}/entries", good, most=size, cursor=cursor)
    results = [shown(one, str(relationship), meant) for one in entries]
    before = f"?page={page - 1}&page_size={size}" if page > 1 else None
    after = f"?page={page + 1}&page_size={size}" if start + size < count else None
    return {"count": count, "next": after, "previous": before, "results": results}


def read(api: OwnApi, given: Given, memory_id: str) -> Any:
    """A memory that was deleted or replaced is gone for mem0's clients, too; `history` still shows it. One that expired
    is still read by its ID, as in mem0.
    """
    relationship, entry = two_ids(memory_id)
    found = good(api.get(f"/relationships/{relationship}/entries/{entry}"))
    if found["state"] not in ("active", "expired"):
        raise Refusal(404, f"This memory is {found['state']}; its history is kept.")
    return shown(found, relationship, _owner_of(api, relationship))


def update(api: OwnApi, given: Given, memory_id: str) -> Any:
    """Change a memory. Another `expiration_date` brings one back that expired, as in mem0."""
    relationship, entry = two_ids(memory_id)
    changes, path = changes_of(given), f"/relationships/{relationship}/entries/{entry}"
    if "expires_at" in changes and good(api.get(path))["state"] == "expired":
        with whole_or_not(api, 2):
            good(api.post(f"{path}/restore", {}))
            found = good(api.ask("PATCH", path, changes))
    else:
        found = good(api.ask("PATCH", path, changes))
    return shown(found, relationship, _owner_of(api, relationship))


def delete(api: OwnApi, given: Given, memory_id: str) -> Any:
    """Delete the entry as by hand: hidden everywhere, kept in its history, restorable."""
    relationship, entry = two_ids(memory_id)
    good(api.ask("DELETE", f"/relationships/{relationship}/entries/{entry}"))
    return {"message": "Memory deleted successfully!"}


def delete_all(api: OwnApi, given: Given) -> Any:
    relationship = _find(api, whose(given, stored=False))
    if relationship is not None:
        path = f"/relationships/{relationship}/entries"
        ids = [entry["id"] for entry in api.every(path, good)]
        for start in range(0, len(ids), MOST):
            good(api.post(f"{path}/bulk-delete", {"entries": ids[start : start + MOST]}))
    return {"message": "Memories deleted successfully!"}


def history(api: OwnApi, given: Given, memory_id: str) -> Any:
    """An entry's changes, oldest first, as in mem0."""
    relationship, entry = two_ids(memory_id)
    changes = api.every(f"/relationships/{relationship}/entries/{entry}/history", good)
    return [
        {
            "id": change["id"],
            "memory_id": memory_id,
            "old_memory": (change["before"] or {}).get("content"),
            "new_memory": (change["after"] or {}).get("content") if change["event"] != "delete" else None,
            "event": _EVENT.get(change["event"], "UPDATE"),
            "created_at": change["recorded_at"],
            "updated_at": change["recorded_at"],
        }
        for change in reversed(changes)
    ]


def _find(api: OwnApi, meant: Whose) -> str | None:
    page = good(api.get("/relationships", companion=meant.companion, user=meant.user))
    return page["items"][0]["id"] if page["items"] else None


def _get_or_create(api: OwnApi, meant: Whose) -> str:
    """Find or create the relationship, and its companion if needed. Returns its ID."""
    asked = {"companion": meant.companion, "user": meant.user}
    answered = api.post("/relationships", asked)
    if not answered.good and any(one["field"] == "companion" for one in answered.body.get("errors", [])):
        api.post("/companions", {"slug": meant.companion, "name": meant.companion})
        answered = api.post("/relationships", asked)
    return str(good(answered)["id"])


def _owner_of(api: OwnApi, relationship: str) -> Whose:
    found = good(api.get(f"/relationships/{relationship}"))
    return Whose(found["user"]["external_id"], found["companion"]["slug"])


def shown(entry: dict[str, Any], relationship: str, meant: Whose) -> dict[str, Any]:
    """An entry in mem0's format. `created_at` and `updated_at`: the earlier and the later of told and recorded time."""
    made, changed = sorted((entry["effective_at"], entry["recorded_at"]), key=datetime.fromisoformat)
    return {
        "id": f"{relationship}.{entry['id']}",
        "memory": entry["content"],
        "user_id": meant.user,
        "agent_id": meant.companion,
        "metadata": {**entry["tags"], **entry["metadata"]},
        "categories": [entry["type"]],
        "created_at": made,
        "updated_at": changed,
        "expiration_date": last_day(entry["expires_at"]),
    }


def changes_of(given: Given) -> dict[str, Any]:
    """What an update changes of an entry. Raises Refusal."""
    if given.get("timestamp") is not None:
        raise Refusal(400, "timestamp: is read by add alone; a memory that is changed stays as old as it is.")
    changes: dict[str, Any] = {}
    if given.get("text") is not None:
        changes["content"] = given["text"]
    if given.get("metadata") is not None:
        changes["metadata"] = given["metadata"]
    if "expiration_date" in given:
        changes["expires_at"] = end_of(given["expiration_date"])
    if not changes:
        raise Refusal(400, "Send text, metadata or expiration_date.")
    return changes


def _tags(metadata: Any) -> dict[str, str]:
    """Turn the metadata into the tags of everything learnt from a turn. Raises Refusal."""
    if not isinstance(metadata, dict):
        raise Refusal(400, "metadata: must be an object.")
    for name, value in metadata.items():
        if not isinstance(value, str | int | float):
            raise Refusal(
                400, f"metadata.{name[:60]}: with infer, a text or a number; send any JSON with infer=False."
            )
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in metadata.items()}


def _whole_number(value: Any, name: str, default: int) -> int:
    text = str(default if value is None else value)
    if not re.fullmatch(r"[1-9]\d{0,6}", text, re.ASCII):
        raise Refusal(400, f"{name}: write a whole number from 1.")
    return int(text)


def good(answered: Answered) -> Any:
    """Return the answer's body. Raises Refusal with the problem's text."""
    if not answered.good:
        faults = "; ".join(
            f"{called(one['field'])}: {one['detail']}" for one in answered.body.get("errors", [])
        )
        retry_after = answered.body.get("retry_after")
        raise Refusal(answered.status, faults or answered.sentence, retry_after=retry_after)
    return answered.body


def called(field: str) -> str:
    """What mem0 calls a field of our own API."""
    name, dot, part = field.partition(".")
    return _CALLED.get(name, name) + dot + part


@contextmanager
def whole_or_not(api: OwnApi, calls: int) -> Iterator[None]:
    """Make this many calls in one transaction, so that one which fails undoes those before it. Raises Refusal."""
    try:
        api.admit(calls)
    except AuthenticationFailed as error:
        raise Refusal(401, str(error.detail)) from None
    except TooManyRequests as error:
        raise Refusal(429, error.detail, retry_after=error.extra["retry_after"]) from None
    with transaction.atomic():
        yield
