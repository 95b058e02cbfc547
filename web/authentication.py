"""Authentication by API keys and relationship tokens: who calls, for which project, and what they may do.

A key is `rk_<prefix>_<secret>` and is found by its prefix; a token is `rt_<relationship>_<secret>` and is
searched in its relationship. Each takes one query. Only SHA-256 hashes are stored (docs/adr/0005).

If a method's own statement checks the key again (`rereads_key`), this process's cache of the key is enough to let the
request in, which saves a query. Nothing is answered before the key was checked; `ApiView.handle_exception` sees to it
for errors.
"""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.db import Error as DatabaseError
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from config.postgresql.sessions import execute, node_went_away, prepared_cursor
from config.rates import Rates, parse_rate
from web.actor import AGENT, Actor, ActorKind
from web.errors import NotAllowed, NotFound, RapportError
from web.problems import SEND_KEY
from web.secrets import secret_hash
from web.server.admission import Client
from web.server.clients import CLIENT

NOTE_USE_EVERY = timedelta(minutes=1)
# In the environ of a request inside this process: the Credentials that were checked before.
ADMITTED = "rapport.admitted"
INCLUDED = {"admin": {"read", "write", "admin"}, "write": {"read", "write"}, "read": {"read"}}
DEFAULT_SCOPES = {"GET": "read", "HEAD": "read", "OPTIONS": "read"}

_KEY = re.compile(r"^(rk_[a-z0-9]{8})_[A-Za-z0-9_-]{43}$")
_TOKEN = re.compile(r"^rt_([0-9a-f]{32})_[A-Za-z0-9_-]{43}$")

_QUERY_OF_KEYS = """
SELECT id, project_id, key_hash, scopes, last_used_at, revoked_at, rate_limits
FROM relationships_apikey WHERE prefix = %s
"""
_NOTE_USE = """
UPDATE relationships_apikey SET last_used_at = %s
WHERE id = %s AND (last_used_at IS NULL OR last_used_at < %s)
"""
_QUERY_OF_TOKENS = """
SELECT token.project_id, token.token_hash, token.scopes, token.expires_at, coalesce(token.revoked_at, key.revoked_at),
       pair.user_id, token.id, token.session_id, key.id, key.rate_limits
FROM relationships_relationshiptoken token
JOIN relationships_relationship pair ON pair.id = token.relationship_id
LEFT JOIN relationships_apikey key ON key.prefix = token.key_prefix
WHERE token.relationship_id = %s AND token.token_hash = %s
"""


KEY_STILL_HOLDS = """EXISTS (SELECT 1 FROM relationships_apikey WHERE id = %(key)s AND revoked_at IS NULL
                AND scopes = %(scopes)s::varchar[] AND rate_limits = %(rate_limits)s::jsonb)"""


class KeyChanged(RapportError):
    """The cached key is outdated and must be read again."""


class RememberedKey(NamedTuple):
    """A key's row, as it was read. It still gives the same access while KEY_STILL_HOLDS is true."""

    id: UUID
    project_id: UUID
    key_hash: bytes
    scopes: list[str]
    last_used_at: datetime | None
    revoked_at: datetime | None
    rate_limits: str  # JSON

    def asked(self) -> dict[str, Any]:
        """The parameters of KEY_STILL_HOLDS."""
        return {"key": self.id, "scopes": self.scopes, "rate_limits": self.rate_limits}


# By prefix: keys as they were last read from the database.
_REMEMBERED: dict[str, RememberedKey] = {}
_MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request may do. `relationship_id` is set for a token, which can access only that relationship;
    `session_id` for the token of an agent's session, which may only write as that session.

    `holder`: the key's or token's ID, by which its limits are counted; `key_id`: the key that made the token;
    `own_rates`: the key's own limits.
    `remembered`: taken from the cache; the key has not been read in this request yet.
    """

    project_id: UUID
    scopes: frozenset[str]
    actor: Actor
    holder: UUID
    own_rates: Rates = field(default_factory=dict)
    key_id: UUID | None = None
    relationship_id: UUID | None = None
    session_id: UUID | None = None
    remembered: RememberedKey | None = None

    def allow(self, scope: str) -> bool:
        return any(scope in INCLUDED[held] for held in self.scopes)


class BearerAuthentication(BaseAuthentication):
    """`request.user` is the Actor, `request.auth` the Credentials."""

    def authenticate(self, request: Request) -> tuple[Any, Credentials] | None:
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        view = (request.parser_context or {}).get("view")
        remembered = request.method in getattr(view, "rereads_key", ())
        credentials = request.META.get(ADMITTED) or authenticate_header(header, remembered=remembered)
        # So that the server knows the client of the next request.
        person = str(credentials.relationship_id or "")
        request.META[CLIENT] = Client(str(credentials.project_id), person)
        return credentials.actor, credentials

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="rapport"'


def authenticate_header(header: str, *, remembered: bool = False) -> Credentials:
    """The credentials of the key or token in an Authorization header. Raises AuthenticationFailed.

    `remembered`: those of a key may come from the cache; the caller must check them.
    """
    now = datetime.now(UTC)
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer":
        raise AuthenticationFailed(SEND_KEY)
    secret = secret.strip()
    if match := _KEY.match(secret):
        prefix = match.group(1)
        row = _REMEMBERED.get(prefix) if remembered else None
        if row is not None and _opens(row, secret) and not _use_is_due(row, now):
            return _credentials_of(row, prefix, remembered=True)
        return _of_key(prefix, secret, now)
    if match := _TOKEN.match(secret):
        return _of_token(UUID(match.group(1)), secret, now)
    raise AuthenticationFailed("This is not a key of ours.")


def still_holds(request: Request) -> bool:
    """Return whether a request's key or token would still give the same access. One query; for long answers."""
    try:
        found = authenticate_header(request.META["HTTP_AUTHORIZATION"])
    except AuthenticationFailed:
        return False
    return bool(found == request.auth)


def forget_key(credentials: Credentials) -> None:
    """Remove the key from this process's cache, so that its row is read again."""
    _REMEMBERED.pop(credentials.actor.id, None)


def _of_key(prefix: str, secret: str, now: datetime) -> Credentials:
    _REMEMBERED.pop(prefix, None)
    with prepared_cursor() as cursor:
        cursor.execute(_QUERY_OF_KEYS, [prefix])
        found = cursor.fetchone()
    row = None if found is None else RememberedKey._make(found)
    if row is None or not _opens(row, secret):
        raise AuthenticationFailed("This key is not known.")
    if row.revoked_at is not None:
        raise AuthenticationFailed("This key was revoked.")
    if _use_is_due(row, now):
        _note_use(row, now)
        row = row._replace(last_used_at=now)
    if len(_REMEMBERED) >= _MOST_REMEMBERED:
        _REMEMBERED.clear()
    _REMEMBERED[prefix] = row
    return _credentials_of(row, prefix)


def _note_use(row: RememberedKey, now: datetime) -> None:
    """Note when the key was used. Not while a node of a distributed database is down, as all nodes have the keys."""
    try:
        execute(_NOTE_USE, [now, row.id, now - NOTE_USE_EVERY])
    except DatabaseError as error:
        if not node_went_away(error):
            raise


def _opens(row: RememberedKey, secret: str) -> bool:
    return hmac.compare_digest(bytes(row.key_hash), secret_hash(secret))


def _use_is_due(row: RememberedKey, now: datetime) -> bool:
    return row.last_used_at is None or row.last_used_at < now - NOTE_USE_EVERY


def _credentials_of(row: RememberedKey, prefix: str, *, remembered: bool = False) -> Credentials:
    actor, scopes, rates = (
        Actor(ActorKind.DEVELOPER, prefix),
        frozenset(row.scopes),
        _rates_in(row.rate_limits),
    )
    return Credentials(row.project_id, scopes, actor, row.id, rates, remembered=row if remembered else None)


def _of_token(relationship_id: UUID, secret: str, now: datetime) -> Credentials:
    hashed = secret_hash(secret)
    with prepared_cursor() as cursor:
        cursor.execute(_QUERY_OF_TOKENS, [relationship_id, hashed])
        row = cursor.fetchone()
    if row is None or not hmac.compare_digest(bytes(row[1]), hashed):
        raise AuthenticationFailed("This token is not known.")
    project_id, _, scopes, expires_at, revoked_at, user_id, token_id, session_id, key_id, key_rates = row
    if revoked_at is not None:
        raise AuthenticationFailed("This token was revoked.")
    if expires_at <= now:
        raise AuthenticationFailed("This token has expired.")
    actor = AGENT if session_id else Actor(ActorKind.END_USER, str(user_id))
    return Credentials(
        project_id,
        frozenset(scopes),
        actor,
        holder=token_id,
        own_rates={} if key_id is None else _rates_in(key_rates),
        key_id=key_id,
        relationship_id=relationship_id,
        session_id=session_id,
    )


@lru_cache(maxsize=1024)
def _rates_in(kept: str) -> Rates:
    """A key's own limits, from their column's text."""
    return {name: parse_rate(written) for name, written in orjson.loads(kept).items()}


class HasScope(BasePermission):
    """A view says which scope each method takes in `scopes`; reading needs `read`, anything else `write`."""

    def has_permission(self, request: Request, view: Any) -> bool:
        credentials = request.auth
        if not isinstance(credentials, Credentials):
            return False
        declared: Mapping[str, str] = getattr(view, "scopes", {})
        method = request.method or ""
        scope = declared.get(method) or DEFAULT_SCOPES.get(method, "write")
        if not credentials.allow(scope):
            raise NotAllowed(f"This needs a key with the scope {scope!r}.", scope=scope)
        if credentials.relationship_id is not None:
            _token_may_enter(credentials.relationship_id, view)
        if credentials.session_id is not None:
            _session_may_enter(credentials.session_id, view, scope)
        return True


def _token_may_enter(relationship_id: UUID, view: Any) -> None:
    opened = getattr(view, "open_to_tokens", False)
    if not (opened is True or (opened and view.request.method in opened)):
        raise NotAllowed("A relationship token can't be used here: send an API key.")
    if getattr(view, "token_is_the_address", False):
        return  # the view takes the relationship from the token
    if view.kwargs.get("relationship_id") != relationship_id:
        raise NotFound("This relationship does not exist.")


def _session_may_enter(session_id: UUID, view: Any, scope: str) -> None:
    if view.kwargs.get("agent_session_id", session_id) != session_id:
        raise NotFound("This session does not exist.")
    if scope != "read" and view.request.method not in getattr(view, "open_to_sessions", ()):
        raise NotAllowed(
            "A session's token reads its relationship, works on the session's own branch, calls its tools and finishes "
            "it. For anything else send an API key."
        )
