"""Erase for good: messages, an entry, a relationship, a person, a companion, a project, with every copy of their text.

Nothing else can remove text from the history: only this package sets the flag that the append-only triggers check
(allow_erasure.py). AuditEvents record what was erased as counts, without any text.
Why it is built this way: docs/adr/0010-append-only-yet-erasable.md
"""

from upkeep.erasure.counts import Counts
from upkeep.erasure.entries import EntryErasure, erase_entry
from upkeep.erasure.messages import redact_messages
from upkeep.erasure.relationships import (
    count_relationships,
    count_user,
    erase_companion,
    erase_project,
    erase_relationship,
    erase_user,
)

__all__ = [
    "Counts",
    "EntryErasure",
    "count_relationships",
    "count_user",
    "erase_companion",
    "erase_entry",
    "erase_project",
    "erase_relationship",
    "erase_user",
    "redact_messages",
]
