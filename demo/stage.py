"""Sets up the demo's project, key, operator, companion and relationship."""

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
    """The demo's API key. The database has only its hash, so the demo stores it in a file that only its owner can
    read.
    """

    project_id: str
    key_id: str
    key: str

    @property
    def opens(self) -> bool:
        """Whether the current database has the key, and it is not revoked."""
        found = ApiKey.objects.filter(id=UUID(self.key_id), project_id=UUID(self.project_id), revoked_at=None)
        return found.exists()


@dataclass(frozen=True, slots=True)
class DemoOperator:
    """`password`: empty if somebody has changed it."""

    email: str
    password: str


def demo_key(file: Path) -> DemoKey:
    """Return the key in `file`, or make one and store it there, in a new project if needed."""
    kept = _kept_key(file)
    if kept is not None and kept.opens:
        return kept
    known = None if kept is None else Project.objects.filter(id=UUID(kept.project_id)).first()
    project = known or create_project(name=PROJECT, by=BY)
    row, key = create_api_key(project_id=project.id, name="Demo", scopes=[Scope.ADMIN], by=BY)
    made = DemoKey(str(project.id), str(row.id), key)
    _write_json(file, asdict(made))
    return made


def demo_operator(file: Path, *, project_id: str) -> DemoOperator:
    """Return the operator in `file`, or make one, as an owner of the demo's project."""
    password = str(_read_json(file).get("password", ""))
    operator = Operator.objects.filter(email=EMAIL).first()
    if operator is None:
        password = password or secrets.token_urlsafe(9)
        _write_json(file, asdict(DemoOperator(EMAIL, password)))
    if not Membership.objects.filter(operator=operator, project_id=UUID(project_id)).exists():
        project = Project.objects.get(id=UUID(project_id))
        add_member(project=project, email=EMAIL, role=Role.OWNER, password=password, by=BY)
    known = operator is None or operator.check_password(password)
    return DemoOperator(EMAIL, password if known else "")


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


def _kept_key(file: Path) -> DemoKey | None:
    try:
        key = DemoKey(**{name: str(value) for name, value in _read_json(file).items()})
        UUID(key.project_id), UUID(key.key_id)
    except (ValueError, TypeError):
        return None
    return key


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
