"""mem0's entities: people and companions."""

from typing import Any

from connect.mem0.asking import Refusal
from connect.mem0.memories import Memories, good


def list_entities(memories: Memories) -> Any:
    users = [_shown(one, one["external_id"], "user") for one in memories.every("/users")]
    agents = [_shown(one, one["slug"], "agent") for one in memories.every("/companions")]
    return {"count": len(users) + len(agents), "next": None, "previous": None, "results": [*users, *agents]}


def delete_entity(memories: Memories, kind: str, name: str) -> Any:
    """Erases the person, or the companion with all who speak to it, for good; the key needs the scope for that."""
    lists = {"user": ("/users", "external_id"), "agent": ("/companions", "slug")}
    if kind not in lists:
        raise Refusal(501, f"There are no entities of the kind {kind[:40]!r} here: users and agents.")
    path, column = lists[kind]
    query = {"external_id": name} if kind == "user" else {}
    found = next((one for one in memories.every(path, **query) if one[column] == name), None)
    if found is None:
        raise Refusal(404, "This entity is not there.")
    good(memories.api.ask("DELETE", f"{path}/{found['id']}"))
    return {"message": "Entity deleted successfully!"}


def _shown(row: dict[str, Any], name: str, kind: str) -> dict[str, Any]:
    return {"id": row["id"], "name": name, "type": kind, "created_at": row.get("created_at")}
