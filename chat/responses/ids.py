"""IDs of responses and of their items: they name the turn that the reply became, and its relationship.

So nothing else is stored for `previous_response_id` and for references to items. Pure.
"""

import re
from typing import NamedTuple
from uuid import UUID

_ID = re.compile(r"(resp|msg|fc)_([0-9a-f]{32})([0-9a-f]{32})(?:_([0-9]{1,4}))?")


class ReplyId(NamedTuple):
    """The relationship and the turn of a reply."""

    relationship_id: UUID
    turn_id: UUID

    @property
    def response(self) -> str:
        return f"resp_{self._both}"

    @property
    def message(self) -> str:
        """The item with the reply's text."""
        return f"msg_{self._both}"

    def call(self, place: int) -> str:
        """The item with the reply's call number `place`, from 0."""
        return f"fc_{self._both}_{place}"

    @property
    def _both(self) -> str:
        return f"{self.relationship_id.hex}{self.turn_id.hex}"


class ItemId(NamedTuple):
    """`place`: the number of the call; None: the reply's text."""

    reply: ReplyId
    place: int | None


def reply_of(response_id: str) -> ReplyId | None:
    """The reply that a response's ID names; None: it is no such ID."""
    found = _read(response_id)
    return found[1] if found and found[0] == "resp" else None


def item_of(item_id: str) -> ItemId | None:
    """What an item's ID names; None: it is no such ID."""
    found = _read(item_id)
    if found is None or found[0] == "resp" or (found[0] == "fc") != (found[2] is not None):
        return None
    return ItemId(found[1], found[2])


def _read(text: str) -> tuple[str, ReplyId, int | None] | None:
    found = _ID.fullmatch(text)
    if found is None:
        return None
    kind, relationship, turn, place = found.groups()
    return kind, ReplyId(UUID(relationship), UUID(turn)), None if place is None else int(place)
