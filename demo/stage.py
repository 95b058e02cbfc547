"""Sets up the demo's project, key, operator, companion and relationship."""

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from demo.conversation import Conversation, Persona
from demo.errors import RequestFailed
from demo.rest import Rest
from relationships.models import ApiKey, Membership, Operator, Project, Role, Scope
from relationships.services.api_keys import create_api_key
from relationships.services.memberships import add_member
from relationships.services.projects import create_project
from web.actor import Actor

PROJECT = "Demo"
EMAIL = "demo@localhost"
BY = Actor.policy("demo")


def demo_key(file: Path) -> tuple[UUID, str]:
    """The demo's project and API key. The database has only the key's hash, so it is kept in `file`; if that has none
    that is still valid, make one, in a new project if needed.
    """
    kept = _read_json(file)
    try:
        project_id, key_id, key = UUID(kept["project_id"]), UUID(kept["key_id"]), str(kept["key"])
    except (KeyError, ValueError, TypeError, AttributeError):
        project = None
    else:
        if ApiKey.objects.filter(id=key_id, project_id=project_id, revoked_at=None).exists():
            return project_id, key
        project = Project.objects.filter(id=project_id).first()
    project = project or create_project(name=PROJECT, by=BY)
    row, key = create_api_key(project_id=project.id, name="Demo", scopes=[Scope.ADMIN], by=BY)
    _write_json(file, {"project_id": str(project.id), "key_id": str(row.id), "key": key})
    return project.id, key


def demo_password(file: Path, *, project_id: UUID) -> str:
    """The password of the operator EMAIL, an owner of the demo's project, whom it creates if needed. It is kept in
    `file`; "" if somebody has changed it.
    """
    password = str(_read_json(file).get("password", ""))
    operator = Operator.objects.filter(email=EMAIL).first()
    if operator is None:
        password = password or secrets.token_urlsafe(9)
        _write_json(file, {"email": EMAIL, "password": password})
    if not Membership.objects.filter(operator=operator, project_id=project_id).exists():
        project = Project.objects.get(id=project_id)
        add_member(project=project, email=EMAIL, role=Role.OWNER, password=password, by=BY)
    return password if operator is None or operator.check_password(password) else ""


def set_up(rest: Rest, conversation: Conversation) -> tuple[str, bool]:
    """Create an empty relationship. Returns its ID, and whether the person existed and was erased first."""
    companion = _companion(rest, conversation.companion)
    user = conversation.user
    known = rest.get("/users", external_id=user.external_id)["items"]
    for person in known:
        rest.delete(f"/users/{person['id']}")
    made = rest.post(
        "/relationships",
        {
            "companion": companion,
            "user": {"external_id": user.external_id, "display_name": user.name},
            "timezone": user.timezone,
        },
    )
    return made["id"], bool(known)


def _companion(rest: Rest, persona: Persona) -> str:
    """Create the companion, or update it from the file. Returns its slug."""
    wanted = {"slug": persona.slug, "name": persona.name, "config": _config(persona)}
    try:
        rest.post("/companions", wanted)
    except RequestFailed as refused:
        if refused.status != 409:
            raise
        known = next(found for found in rest.every("/companions") if found["slug"] == persona.slug)
        rest.patch(f"/companions/{known['id']}", wanted)
    return persona.slug


def _config(persona: Persona) -> dict[str, Any]:
    context = {"core_prompt": persona.core_prompt} if persona.core_prompt else {}
    config: dict[str, Any] = {"context": context}
    if persona.language:
        config["retrieval"] = {"language": persona.language}
    if persona.recipe:
        config["recipe"] = persona.recipe
    return config


def _read_json(file: Path) -> dict[str, Any]:
    """The file's JSON object; empty if there is none."""
    try:
        told = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _write_json(file: Path, told: Mapping[str, Any]) -> None:
    """Write a JSON file that only its owner can read."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        json.dump(told, handle)
    fresh.replace(file)
