"""The author of a commit, and the name of an actor in a column."""

from uuid import UUID

from web.actor import Actor
from workspace.trees import Author

DOMAIN = "rapport.invalid"  # RFC 2606: no mail goes there


def author_of(by: Actor, session_id: UUID | None = None) -> Author:
    if session_id is not None:
        return Author(f"session {session_id}", f"{session_id}@{DOMAIN}")
    return Author(f"{by.kind} {by.id}".strip(), f"{by.kind}@{DOMAIN}")


def told(by: Actor) -> str:
    """Name an actor in one line, for a column."""
    return ":".join(filter(None, [by.kind, by.id]))[:240]


RAPPORT = Actor.policy("workspace")
