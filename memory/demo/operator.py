"""The demo's operator, who may open the admin UI: made once, with a password that is made up here and kept."""

import json
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID

from memory.demo.stage import BY, keep
from relationships.models import Membership, Operator, Project, Role
from relationships.services.memberships import add_member

EMAIL = "demo@localhost"


@dataclass(frozen=True, slots=True)
class DemoOperator:
    """`password` is empty once somebody has changed it."""

    email: str
    password: str


def demo_operator(file: Path, *, project_id: str) -> DemoOperator:
    """Who may sign in, as kept in `file`, for its owner's eyes; an owner of the demo's project."""
    password = _kept(file)
    operator = Operator.objects.filter(email=EMAIL).first()
    if operator is None:
        password = password or secrets.token_urlsafe(9)
        keep(file, asdict(DemoOperator(EMAIL, password)))
    if not Membership.objects.filter(operator=operator, project_id=UUID(project_id)).exists():
        project = Project.objects.get(id=UUID(project_id))
        add_member(project=project, email=EMAIL, role=Role.OWNER, password=password, by=BY)
    known = operator is None or operator.check_password(password)
    return DemoOperator(EMAIL, password if known else "")


def _kept(file: Path) -> str:
    """The password; empty if none is kept."""
    try:
        return str(json.loads(file.read_text())["password"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
