"""Python client of Rapport: `Rapport` and `AsyncRapport`."""

from rapport_client.chat import Reply
from rapport_client.client import AsyncRapport, Rapport
from rapport_client.errors import (
    Invalid,
    NotFound,
    ProblemError,
    RapportError,
    Refused,
    Stale,
    StreamBroken,
    TooMany,
    Unreachable,
)
from rapport_client.relationship import AsyncRelationship, Relationship
from rapport_client.sending import UNSET, Event

__all__ = [
    "UNSET",
    "AsyncRapport",
    "AsyncRelationship",
    "Event",
    "Invalid",
    "NotFound",
    "ProblemError",
    "Rapport",
    "RapportError",
    "Refused",
    "Relationship",
    "Reply",
    "Stale",
    "StreamBroken",
    "TooMany",
    "Unreachable",
]
