"""Looks up what a Responses call refers to: the exchange of an earlier response, and items of earlier replies."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F, Max, Sum, Window
from django.db.models.functions import Length

from chat.idempotency import told_in
from chat.messages import ANSWERED_CALL, Message, without_calls
from chat.responses.ids import ItemId, ReplyId
from chat.wire import Told
from relationships.models import Message as Row
from relationships.models import MessageRole, Turn
from web.errors import InvalidInput

LOOKED_AT = 200  # newest messages of the session
MOST_REFERENCES = 1000  # replies that the items of one call refer to


@dataclass(frozen=True, slots=True)
class Exchange:
    """The messages from the person's last one on, up to a reply, in the format of chat completions."""

    session: str
    messages: Sequence[Message]


def exchange_of(reply: ReplyId) -> Exchange | None:
    """The exchange that ends with this reply; None if there is no such turn. What is hidden or erased is left out."""
    owned = Turn.objects.for_relationship(reply.relationship_id)
    turn = owned.filter(id=reply.turn_id).only("session", "seq").first()
    if turn is None:
        return None
    last = (
        Row.objects.for_relationship(reply.relationship_id).filter(turn_id=turn.id).aggregate(seq=Max("seq"))
    )
    rows = _shown(reply.relationship_id).filter(session=turn.session, seq__lte=last["seq"] or turn.seq)
    taken: list[Row] = []
    asked = False
    for row in rows.order_by("-seq")[:LOOKED_AT]:
        if asked and row.role == MessageRole.ASSISTANT:
            break
        asked = asked or row.role == MessageRole.USER
        taken.append(row)
    return Exchange(turn.session, _answered([*_messages(taken[::-1])]))


def items_of(relationship_id: UUID, wanted: Collection[ItemId]) -> dict[ItemId, Message | None]:
    """The items that were kept, by ID: a reply's text, or one call; None: it was hidden or erased since.

    At most two statements. Raises InvalidInput for more than a call may be long.
    """
    wanted = [item for item in wanted if item.reply.relationship_id == relationship_id]
    ids = {item.reply.turn_id for item in wanted}
    if not ids:
        return {}
    if len(ids) > MOST_REFERENCES:
        detail = f"refers to {len(ids)} earlier replies, of at most {MOST_REFERENCES}: send the texts"
        raise InvalidInput.of("input", detail)
    of_turns: dict[UUID, list[Row]] = {}
    so_far = Window(Sum(Length("content")), order_by=F("seq").asc())
    most = settings.MAX_CHAT_BYTES + settings.MAX_MESSAGE_BYTES  # so that a longer sum is seen
    rows = _shown(relationship_id).filter(turn_id__in=ids, role=MessageRole.ASSISTANT)
    length = 0
    for row in rows.annotate(so_far=so_far).filter(so_far__lte=most).order_by("seq"):
        of_turns.setdefault(row.turn_id, []).append(row)
        length = row.so_far
    if length > settings.MAX_CHAT_BYTES:
        raise InvalidInput.of("input", "the earlier replies that it refers to are too long together")
    replies = {
        turn_id: told_in([(row.role, row.content, row.metadata) for row in rows])
        for turn_id, rows in of_turns.items()
    }
    found: dict[ItemId, Message | None] = {}
    if gone := ids - replies.keys():
        kept = Turn.objects.for_relationship(relationship_id).filter(id__in=gone)
        gone = set(kept.values_list("id", flat=True))
    for item in wanted:
        told = replies.get(item.reply.turn_id)
        if told is None:
            if item.reply.turn_id in gone:
                found[item] = None
        elif item.place is None:
            found[item] = {"role": "assistant", "content": told.text or told.refusal}
        elif item.place < len(told.calls):
            call = told.calls[item.place].as_message()
            found[item] = {"role": "assistant", "content": None, "tool_calls": [call]}
    return found


def _shown(relationship_id: UUID) -> Any:
    return Row.objects.for_relationship(relationship_id).filter(hidden_at=None, erased_at=None)


def _messages(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """In the format of chat completions; a reply that is stored in pieces is one message."""
    for (replies, _), run in groupby(rows, key=lambda row: (row.role == MessageRole.ASSISTANT, row.turn_id)):
        if replies:
            yield _reply(told_in((row.role, row.content, row.metadata) for row in run))
            continue
        for row in run:
            if row.role == MessageRole.TOOL:
                answered = row.metadata.get(ANSWERED_CALL)
                yield {"role": "tool", "tool_call_id": answered, "content": row.content}
            elif row.role == MessageRole.USER:
                said = f"{row.speaker}: {row.content}" if row.speaker else row.content
                yield {"role": "user", "content": said}


def _reply(told: Told) -> dict[str, Any]:
    text = told.text if told.calls else without_calls(told.text)
    message: dict[str, Any] = {"role": "assistant", "content": text or told.refusal or None}
    if told.calls:
        message["tool_calls"] = [call.as_message() for call in told.calls]
    return message


def _answered(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out calls without a result, except the last reply's, and results without a call: models refuse them."""
    called = {call["id"] for message in messages for call in message.get("tool_calls") or ()}
    messages = [one for one in messages if one["role"] != "tool" or one["tool_call_id"] in called]
    answered = {one["tool_call_id"] for one in messages if one["role"] == "tool"}
    for message in messages[:-1]:
        if "tool_calls" in message:
            message["tool_calls"] = [call for call in message["tool_calls"] if call["id"] in answered]
    return [one for one in messages if one.get("content") or one.get("tool_calls") or one["role"] == "tool"]
