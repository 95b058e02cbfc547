"""The project, key, operator, companion and relationship that the demo plays on."""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True, slots=True)
class DemoKey:
    """The demo's API key. Only its hash is in the database, so the demo keeps it, for its owner's eyes."""

    project_id: str
    key_id: str
    key: str

    @property
    def opens(self) -> bool:
        """Whether it is a key of the database in use, and not revoked."""
        found = ApiKey.objects.filter(id=UUID(self.key_id), project_id=UUID(self.project_id), revoked_at=None)
        return found.exists()


@dataclass(frozen=True, slots=True)
class DemoOperator:
    """`password` is empty once somebody has changed it."""

    email: str
    password: str


def demo_key(file: Path) -> DemoKey:
    """The key kept in `file`, else one for a new demo project, kept there now."""
    kept = _kept_key(file)
    if kept is not None and kept.opens:
        return kept
    known = None if kept is None else Project.objects.filter(id=UUID(kept.project_id)).first()
    project = known or create_project(name=PROJECT, by=BY)
    row, key = create_api_key(project_id=project.id, name="Demo", scopes=[Scope.ADMIN], by=BY)
    made = DemoKey(str(project.id), str(row.id), key)
    _keep(file, asdict(made))
    return made


def demo_operator(file: Path, *, project_id: str) -> DemoOperator:
    """Who may sign in, as kept in `file`, for its owner's eyes; an owner of the demo's project."""
    password = str(_kept(file).get("password", ""))
    operator = Operator.objects.filter(email=EMAIL).first()
    if operator is None:
        password = password or secrets.token_urlsafe(9)
        _keep(file, asdict(DemoOperator(EMAIL, password)))
    if not Membership.objects.filter(operator=operator, project_id=UUID(project_id)).exists():
        project = Project.objects.get(id=UUID(project_id))
        add_member(project=project, email=EMAIL, role=Role.OWNER, password=password, by=BY)
    known = operator is None or operator.check_password(password)
    return DemoOperator(EMAIL, password if known else "")


def set_up(rest: Rest, conversation: Conversation) -> tuple[str, bool]:
    """The ID of a relationship that knows nothing yet, and whether somebody had to be forgotten for that."""
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
    """Its slug; made, or given the prompt of the file if it is there already."""
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


def _kept_key(file: Path) -> DemoKey | None:
    try:
        key = DemoKey(**{name: str(value) for name, value in _kept(file).items()})
        UUID(key.project_id), UUID(key.key_id)
    except (ValueError, TypeError):
        return None
    return key


def _kept(file: Path) -> dict[str, Any]:
    """What was kept there; empty if that is nothing of ours."""
    try:
        told = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _keep(file: Path, told: Mapping[str, Any]) -> None:
    """Write it as JSON that only its owner can read."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        json.dump(told, handle)
    fresh.replace(file)
