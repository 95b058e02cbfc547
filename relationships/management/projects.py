"""What a command's arguments name: a project, its companion, or something new."""

from argparse import ArgumentTypeError
from uuid import UUID

from django.db.models import Q

from relationships.models import Companion, Project
from relationships.services.companions import find_companion
from relationships.services.limits import name_fault
from web.errors import InvalidInput


def find_project(wanted: str | None, *, option: str = "--project") -> Project:
    """The project with that name or ID; without one, the only project. Raises InvalidInput, naming `option`."""
    projects = Project.objects.order_by("created_at")
    found = list((projects if wanted is None else projects.filter(_named(wanted)))[:6])
    if len(found) == 1:
        return found[0]
    names = "; ".join(f"{project.name} ({project.id})" for project in found or projects[:6])
    if not names:
        raise InvalidInput.of(option, 'there is none yet; create one: manage.py create_project "My app"')
    if not found:
        raise InvalidInput.of(option, f"there is none called {wanted!r}; there are {names}")
    raise InvalidInput.of(option, f"say which one, by its ID: {names}")


def require_companion(owner: Project, wanted: str) -> Companion:
    """The project's companion with that slug or ID. Raises InvalidInput."""
    companion = find_companion(project_id=owner.id, slug_or_id=wanted)
    if companion is None:
        raise InvalidInput.of("--companion", f"{owner.name} has none called {wanted!r}")
    return companion


def _named(wanted: str) -> Q:
    try:
        return Q(name=wanted) | Q(id=UUID(wanted))
    except ValueError:
        return Q(name=wanted)


def written_name(text: str) -> str:
    """Of a project or a key, for argparse; with what the API would refuse it refused. Raises ArgumentTypeError."""
    name = text.strip()
    fault = name_fault(name) if name else "is empty"
    if not fault and any("\ud800" <= sign <= "\udfff" for sign in name):
        fault = "is not UTF-8"
    if fault:
        raise ArgumentTypeError(f"the name {fault}")
    return name
