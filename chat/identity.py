"""Reads from the call who is talking to which companion in which session. Nothing is guessed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter

from relationships.models import DEFAULT_SESSION, Companion, Relationship
from relationships.services.relationships import find_relationship, get_or_create_relationship
from web.authentication import Credentials
from web.errors import InvalidInput, NotFound
from web.fields import ExternalId, SessionName, checked_value

FOUR_WAYS = (
    "nobody is named. Name the person with a relationship token, the header X-Rapport-User, the body's field `user`, "
    "or the header X-OpenWebUI-User-Id"
)
_EXTERNAL_ID: TypeAdapter[str] = TypeAdapter(ExternalId)
_SESSION: TypeAdapter[str] = TypeAdapter(SessionName)
_OPENWEBUI_USER, _OPENWEBUI_CHAT = "X-OpenWebUI-User-Id", "X-OpenWebUI-Chat-Id"
_TEMPORARY = ("temporary:", "local:")  # IDs of chats that Open WebUI does not save


@dataclass(frozen=True, slots=True)
class Talk:
    """`remembered`: the exchange will be stored. `one_chat`: the call names its session, so the session is a single
    chat. `whole_chat`: the client always sends that chat from its beginning, even if it has no reply yet.
    """

    relationship: Relationship
    session: str
    remembered: bool
    one_chat: bool = False
    whole_chat: bool = False


class UnknownModel(NotFound):
    """No companion has this slug."""

    code = "model_not_found"


def who_talks(
    credentials: Credentials,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    *,
    follows: UUID | None = None,
) -> Talk:
    """Find the relationship, loaded with its project, companion and user; the first call creates it. `follows`: that of
    an earlier reply, which names the person if nothing else does.

    Raises InvalidInput if nobody is named, UnknownModel, KeyChanged.
    """
    named = _session(headers, body)
    return Talk(
        _relationship(credentials, headers, body, follows),
        named or DEFAULT_SESSION,
        _is_remembered(headers, body),
        one_chat=named is not None,
        whole_chat=named is not None and named == headers.get(_OPENWEBUI_CHAT),
    )


def _relationship(
    credentials: Credentials, headers: Mapping[str, str], body: Mapping[str, Any], follows: UUID | None
) -> Relationship:
    project_id, model, key = credentials.project_id, body["model"], credentials.remembered
    if credentials.relationship_id is not None:
        found = find_relationship(project_id, companion=model, relationship=credentials.relationship_id)
        if found is None:
            raise unknown_model(model)
        return found
    person = _person(headers, body)
    if person is not None:
        found = find_relationship(project_id, companion=model, user=person, key=key)
        return found or _make(credentials, model, person)
    if follows is None:
        raise InvalidInput.of("user", FOUR_WAYS)
    found = find_relationship(project_id, companion=model, relationship=follows, key=key)
    if found is None:
        raise NotFound(f"The previous response is none of the companion {model[:80]!r} in this project.")
    return found


def _make(credentials: Credentials, model: str, person: str) -> Relationship:
    if not Companion.objects.of_project(credentials.project_id).filter(slug=model).exists():
        raise unknown_model(model)
    made, _ = get_or_create_relationship(
        project_id=credentials.project_id, companion=model, user=person, by=credentials.actor
    )
    return made


def _person(headers: Mapping[str, str], body: Mapping[str, Any]) -> str | None:
    """The person whom the call names, or None."""
    own = ("user", body.get("user"))
    return _named(_EXTERNAL_ID, headers, "X-Rapport-User", own, _OPENWEBUI_USER)


def _session(headers: Mapping[str, str], body: Mapping[str, Any]) -> str | None:
    """The session that the call names, or None."""
    own = ("metadata.session", (body.get("metadata") or {}).get("session"))
    return _named(_SESSION, headers, "X-Rapport-Session", own, _OPENWEBUI_CHAT)


def _named(
    kind: TypeAdapter[str], headers: Mapping[str, str], first: str, own: tuple[str, Any], last: str
) -> str | None:
    """The first that is given: by the header `first`, the body's `own` field, or the header `last`.

    Headers must be ASCII: clients encode other letters differently, so one person would become two.
    Raises InvalidInput.
    """
    for name in (first, last):
        if not headers.get(name, "").isascii():
            detail = f"a header may only contain ASCII: send this in the body's field `{own[0]}`"
            raise InvalidInput.of(name, detail)
    for field, said in ((first, headers.get(first)), own, (last, headers.get(last))):
        if said is not None:
            return checked_value(kind, said, field=field)
    return None


def _is_remembered(headers: Mapping[str, str], body: Mapping[str, Any]) -> bool:
    """Return whether to store the exchange. Open WebUI also asks for titles, tags and completions,
    without streaming.
    """
    wish = headers.get("X-Rapport-Remember", "yes").strip().lower()
    if wish not in ("yes", "no"):
        raise InvalidInput.of("X-Rapport-Remember", "write yes or no")
    of_openwebui = _OPENWEBUI_USER in headers or _OPENWEBUI_CHAT in headers
    passing = not body.get("stream") or headers.get(_OPENWEBUI_CHAT, "").startswith(_TEMPORARY)
    return wish == "yes" and body.get("store") is not False and not (of_openwebui and passing)


def unknown_model(model: str) -> UnknownModel:
    return UnknownModel(
        f"There is no companion {model[:80]!r}: a model's name is a companion's slug (GET /v1/models)."
    )
