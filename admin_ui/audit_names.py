"""Names and links for the actor_names and targets of audit events."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse

from admin_ui.params import parse_uuid, parse_uuids
from knowledge.models import Document
from relationships.models import ApiKey, AuditEvent, Companion, EndUser, Operator, Project, Relationship
from web.actor import ActorKind

_KINDS = {"user": "person", "membership": "operator", "api_key": "API key"}  # code: words on the screen
# The rows of each kind of target that has a name.
_ROWS: Mapping[str, Callable[[UUID], QuerySet[Any]]] = {
    "project": lambda project_id: Project.objects.filter(id=project_id),
    "relationship": lambda project_id: Relationship.objects.of_project(project_id).select_related(
        "user", "companion"
    ),
    "companion": lambda project_id: Companion.objects.of_project(project_id),
    "user": lambda project_id: EndUser.objects.of_project(project_id),
    "api_key": lambda project_id: ApiKey.objects.filter(project_id=project_id),
    "membership": lambda project_id: Operator.objects.all(),
    "document": lambda project_id: Document.objects.filter(project_id=project_id),
}
# For each kind of actor, the kind of row and the field with the actor's ID.
_ACTORS: Mapping[str, tuple[str, str]] = {
    ActorKind.OPERATOR: ("membership", "email"),
    ActorKind.DEVELOPER: ("api_key", "prefix"),
    ActorKind.END_USER: ("user", "id"),
}


@dataclass(frozen=True, slots=True)
class NamedEvent:
    """`actor`, `target`: (name, URL). The URL is empty if there is no page, the target's name if it was deleted."""

    event: AuditEvent
    actor: tuple[str, str]
    target: tuple[str, str]

    @property
    def action(self) -> str:
        """The action in words: "Companion changed"."""
        text = _in_words(self.event.action)
        return text[:1].upper() + text[1:]

    @property
    def target_kind(self) -> str:
        return _in_words(self.event.target_kind)


def named_events(events: Sequence[AuditEvent], project_id: UUID) -> list[NamedEvent]:
    """Add names to events. One statement for each kind of actor and target, at most ten."""
    targets = [_target_of(event) for event in events]
    target_names = {
        kind: _names_of(kind, project_id, {key for of, key in targets if of == kind})
        for kind in {kind for kind, _ in targets if kind in _ROWS}
    }
    actor_names = {
        actor: _names_of(
            kind, project_id, {event.actor_id for event in events if event.actor_kind == actor}, by=by
        )
        for actor, (kind, by) in _ACTORS.items()
    }
    return [
        NamedEvent(
            event,
            actor_names.get(event.actor_kind, {}).get(event.actor_id, (event.actor_id, "")),
            target_names.get(kind, {}).get(str(key), ("", "")),
        )
        for event, (kind, key) in zip(events, targets, strict=True)
    ]


def _in_words(name: str) -> str:
    kind, _, verb = name.partition(".")
    return f"{_KINDS.get(kind, kind.replace('_', ' '))} {verb.replace('_', ' ').replace('.', ' ')}".strip()


def kind_called(word: str) -> str:
    """Return the kind that has this word on the screen, as actions contain it; else the word itself."""
    return next((kind for kind, shown in _KINDS.items() if shown == word.lower()), word)


def _target_of(event: AuditEvent) -> tuple[str, Any]:
    """Return the target's kind and ID. If it has no name, those of its relationship or companion."""
    if event.target_kind == "membership":
        return "membership", event.detail.get("operator")
    if event.target_kind not in _ROWS:
        for kind in ("relationship", "companion"):
            if owner_id := parse_uuid(str(event.detail.get(f"{kind}_id", ""))):
                return kind, owner_id
    return event.target_kind, event.target_id


def _names_of(
    kind: str, project_id: UUID, keys: Collection[Any], *, by: str = "id"
) -> dict[str, tuple[str, str]]:
    """Return the names and URLs of rows of one kind, by the value of their field `by`, which must be in `keys`."""
    if kind == "user":
        keys = parse_uuids(map(str, keys))
    keys = [key for key in keys if key is not None]
    rows = _ROWS[kind](project_id).filter(**{f"{by}__in": keys})
    return {str(getattr(row, by)): _name_and_url(row) for row in rows}


def _name_and_url(row: Any) -> tuple[str, str]:
    match row:
        case Relationship():
            return f"{row.user} and {row.companion.name}", reverse("admin_ui:relationship", args=[row.id])
        case Companion():
            return f"{row.name} ({row.slug})", reverse("admin_ui:companion", args=[row.id])
        case EndUser():
            return str(row), f"{reverse('admin_ui:relationships')}?person={quote(row.external_id)}"
        case Operator():
            return row.first_name or row.email, reverse("admin_ui:operators")
        case Document():
            return row.name, reverse("admin_ui:companion_document", args=[row.companion_id, row.id])
    return row.name, reverse("admin_ui:keys" if isinstance(row, ApiKey) else "admin_ui:overview")
