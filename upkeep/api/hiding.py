"""Hide messages and show them again: by ID, by turn, or a range of the conversation. (To erase them:
upkeep.api.erasure.)"""

from collections.abc import Callable, Sequence
from typing import Annotated, Self
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from pydantic import Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import Message
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.sequence import lock_relationship
from web.errors import InvalidInput
from web.fields import Answer, Body, wrong_part
from web.operations import operation

TAG = "Messages"

MOST_NAMED = 500
MOST_IN_A_RANGE = 10_000


class WhichMessages(Body):
    """Which messages: those named, all those of the turns named, and those of the range; at least one of the three."""

    messages: Annotated[list[UUID], Field(max_length=MOST_NAMED)] = []
    turns: Annotated[list[UUID], Field(max_length=MOST_NAMED)] = []
    from_seq: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    """The first of a range, by `seq`; goes with `to_seq`."""
    to_seq: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    """The last of the range, itself included."""

    @model_validator(mode="after")
    def _names_some(self) -> Self:
        if (self.from_seq is None) != (self.to_seq is None):
            raise wrong_part("to_seq", detail="goes with from_seq: a range has both ends")
        if self.from_seq and self.to_seq and self.to_seq < self.from_seq:
            raise wrong_part("to_seq", detail="comes before from_seq")
        if not (self.messages or self.turns or self.from_seq):
            raise wrong_part("messages", detail="is empty: name messages, turns or a range")
        return self


class HiddenAnswer(Answer):
    messages: list[UUID]
    """The messages concerned, in the order of their IDs."""
    changed: int
    """How many messages this call changed."""


class _HidingView(ApiView):
    open_to_tokens = True

    def change(self, relationship_id: UUID, body: WhichMessages, write: Callable[..., int]) -> Response:
        self.get_relationship(relationship_id)
        with transaction.atomic():
            lock_relationship(relationship_id)
            ids = which_messages(relationship_id, body)
            changed = write(relationship_id=relationship_id, message_ids=ids, now=timezone.now())
        return self.answer({"messages": ids, "changed": changed})


class HideMessagesView(_HidingView):
    @operation("messages_hide", "Hide messages", answers={200: HiddenAnswer})
    def post(self, request: Request, relationship_id: UUID, body: WhichMessages) -> Response:
        """Keeps them out of searches, contexts and ingestion. Entries that rest on them stay: POST .../forget reaches
        those too. If a message or turn does not exist, none is hidden.
        """
        return self.change(relationship_id, body, hide_messages)


class ShowMessagesView(_HidingView):
    @operation("messages_show", "Show hidden messages again", answers={200: HiddenAnswer})
    def post(self, request: Request, relationship_id: UUID, body: WhichMessages) -> Response:
        """Undoes hiding. An erased message stays empty."""
        return self.change(relationship_id, body, show_messages)


def which_messages(relationship_id: UUID, which: WhichMessages) -> Sequence[UUID]:
    """The IDs of the messages. Raises InvalidInput for one that doesn't exist, or a range that is too long."""
    owned = Message.objects.for_relationship(relationship_id)
    named = set(owned.filter(id__in=which.messages).values_list("id", flat=True))
    if missing := set(which.messages) - named:
        raise InvalidInput.of("messages", f"{min(missing)} is not a message of this relationship")
    of_turns = dict(owned.filter(turn_id__in=which.turns).values_list("id", "turn_id"))
    if missing := set(which.turns) - set(of_turns.values()):
        raise InvalidInput.of("turns", f"{min(missing)} is not a turn of this relationship")
    found = {*named, *of_turns}
    if which.from_seq is not None:
        rows = owned.filter(seq__gte=which.from_seq, seq__lte=which.to_seq).values_list("id", flat=True)
        ranged = list(rows[: MOST_IN_A_RANGE + 1])
        if len(ranged) > MOST_IN_A_RANGE:
            raise InvalidInput.of(
                "to_seq", f"the range holds more than {MOST_IN_A_RANGE} messages; do it in parts"
            )
        found |= set(ranged)
    return sorted(found)
