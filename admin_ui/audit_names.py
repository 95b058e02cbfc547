"""What the audit log shows beside its IDs: the names of who did it and of what it was about, with the way there."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.urls import reverse

from admin_ui.params import parse_uuid
from knowledge.models import Document
from relationships.models import ApiKey, AuditEvent, Companion, EndUser, Operator, Project, Relationship
from web.actor import ActorKind

_KINDS = {"user": "person", "membership": "operator", "api_key": "API key"}  # on the screen
Names = Mapping[object, tuple[str, str]]  # (name, address) by ID


@dataclass(frozen=True, slots=True)
class NamedEvent:
    """`actor`, `target`: (name, address); the address is empty where there is no page, the name where it is gone."""

    event: AuditEvent
    actor: tuple[str, str]
    target: tuple[str, str]

    @property
    def says(self) -> str:
        """The action in words: "Companion changed"."""
        text = _words(self.event.action)
        return text[:1].upper() + text[1:]

    @property
    def kind(self) -> str:
        """What kind of thing it was about, in words."""
        return _words(self.event.target_kind)


def named_events(events: Sequence[AuditEvent], project_id: UUID) -> list[NamedEvent]:
    """One statement for each kind of thing that is named: at most eight."""
    targets = [_target_of(event) for event in events]
    wanted: dict[str, set[Any]] = {}
    for kind, key in targets:
        wanted.setdefault(kind, set()).add(key)
    actors = {ActorKind.OPERATOR: Operator, ActorKind.DEVELOPER: ApiKey, ActorKind.END_USER: EndUser}
    found = {kind: _NAMES[kind](project_id, keys) for kind, keys in wanted.items() if kind in _NAMES}
    who: dict[str, Names] = {
        kind: _actors(model, {event.actor_id for event in events if event.actor_kind == kind}, project_id)
        for kind, model in actors.items()
    }
    return [
        NamedEvent(
            event,
            who.get(event.actor_kind, {}).get(event.actor_id, (event.actor_id, "")),
            found.get(kind, {}).get(key, ("", "")),
        )
        for event, (kind, key) in zip(events, targets, strict=True)
    ]


def _words(name: str) -> str:
    kind, _, verb = name.partition(".")
    return f"{_KINDS.get(kind, kind.replace('_', ' '))} {verb.replace('_', ' ').replace('.', ' ')}".strip()


def code_of(word: str) -> str:
    """What a kind of thing is called in actions, by its word on the screen."""
    return next((kind for kind, shown in _KINDS.items() if shown == word.lower()), word)


def _target_of(event: AuditEvent) -> tuple[str, Any]:
    """Its kind and ID; that of its relationship or companion where the thing itself has no name."""
    if event.target_kind == "membership":
        return "membership", event.detail.get("operator")
    if event.target_kind not in _NAMES:
        for kind in ("relationship", "companion"):
            if found := parse_uuid(str(event.detail.get(f"{kind}_id", ""))):
                return kind, found
    return event.target_kind, event.target_id


def _actors(model: Any, ids: Collection[str], project_id: UUID) -> Names:
    if not ids:
        return {}
    if model is ApiKey:
        rows = ApiKey.objects.filter(project_id=project_id, prefix__in=ids).values_list("prefix", "name")
        return {prefix: (name, reverse("admin_ui:keys")) for prefix, name in rows}
    if model is EndUser:
        named = _people(project_id, filter(None, map(parse_uuid, ids)))
        return {str(person): name for person, name in named.items()}
    people = Operator.objects.filter(email__in=ids).values_list("email", "first_name")
    return {email: (name or email, reverse("admin_ui:operators")) for email, name in people}


def _relationships(project_id: UUID, ids: Iterable[UUID]) -> Names:
    rows = Relationship.objects.of_project(project_id).filter(id__in=ids).select_related("user", "companion")
    return {
        row.id: (f"{row.user} and {row.companion.name}", reverse("admin_ui:relationship", args=[row.id]))
        for row in rows
    }


def _companions(project_id: UUID, ids: Iterable[UUID]) -> Names:
    rows = Companion.objects.of_project(project_id).filter(id__in=ids)
    return {
        row.id: (f"{row.name} ({row.slug})", reverse("admin_ui:companion", args=[row.id])) for row in rows
    }


def _people(project_id: UUID, ids: Iterable[UUID]) -> Names:
    found = reverse("admin_ui:relationships")
    rows = EndUser.objects.of_project(project_id).filter(id__in=ids)
    return {row.id: (str(row), f"{found}?person={quote(row.external_id)}") for row in rows}


def _keys(project_id: UUID, ids: Iterable[UUID]) -> Names:
    rows = ApiKey.objects.filter(project_id=project_id, id__in=ids)
    return {row.id: (row.name, reverse("admin_ui:keys")) for row in rows}


def _members(project_id: UUID, ids: Iterable[int]) -> Names:
    rows = Operator.objects.filter(id__in=[key for key in ids if isinstance(key, int)])
    return {row.id: (row.first_name or row.email, reverse("admin_ui:operators")) for row in rows}


def _documents(project_id: UUID, ids: Iterable[UUID]) -> Names:
    rows = Document.objects.filter(project_id=project_id, id__in=ids).only("id", "name", "companion_id")
    return {
        row.id: (row.name, reverse("admin_ui:companion_document", args=[row.companion_id, row.id]))
        for row in rows
    }


def _projects(project_id: UUID, ids: Iterable[UUID]) -> Names:
    rows = Project.objects.filter(id=project_id, id__in=ids)
    return {row.id: (row.name, reverse("admin_ui:overview")) for row in rows}


_NAMES: Mapping[str, Any] = {
    "project": _projects,
    "relationship": _relationships,
    "companion": _companions,
    "user": _people,
    "api_key": _keys,
    "membership": _members,
    "document": _documents,
}
