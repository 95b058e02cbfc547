"""The author of a commit, and the name of an actor in a column."""

import re
from uuid import UUID

from web.actor import Actor

DOMAIN = "rapport.invalid"  # RFC 2606: no mail goes there
RAPPORT = Actor.policy("workspace")


def author_of(by: Actor, session_id: UUID | None = None) -> str:
    name, address = (f"session {session_id}", session_id) if session_id else (f"{by.kind} {by.id}", by.kind)
    plain = re.sub(r"[<>\n\0]", " ", name).strip()
    return f"{plain} <{address}@{DOMAIN}>"


def told(by: Actor) -> str:
    """Name an actor in one line, for a column."""
    return ":".join(filter(None, [by.kind, by.id]))[:240]
