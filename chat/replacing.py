"""Withdraws what a call replaces, when a reply is regenerated or a message is edited.

Either the call says so (`replaces`), or the client's history shows it: in a session with a single chat, the last reply
that the client sends is not the last one stored. The person's messages are withdrawn for that reason only if the client
is known to send its whole chat: otherwise another device may have said them in the same session, or the client may
send only its newest message. Withdrawn messages are hidden, and can be shown again.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chat.identity import Talk
from chat.messages import Sent, told_of
from memory.entries.editing import delete_entries
from memory.ingestion.intake import earlier_turn
from memory.models import ScratchpadEntry
from relationships.models import Message, MessageRole, Turn
from relationships.services.hiding import hide_messages
from relationships.services.idempotency import Idempotency
from relationships.services.sequence import lock_relationship
from web.actor import Actor
from web.errors import InvalidInput

LOOKED_AT = 200  # newest messages of the session
SAID_DIFFERENTLY = "said differently"
ANSWERS = MessageRole.ASSISTANT


def withdraw(
    talk: Talk, sent: Sent, *, replaces: UUID | None, by: Actor, idempotency: Idempotency | None = None
) -> Sent:
    """Return `sent` without what is stored already. Raises InvalidInput if the turn is not in the session."""
    found = _session_messages(talk)
    if replaces is not None:
        after = _since_turn(talk, sent, found, replaces)
    elif sent.conversation[-1]["role"] == ANSWERS:
        return replace(sent, new=()) if _stands_last(sent, found) else sent  # the model continues the reply
    elif talk.one_chat and (sent.replied or talk.whole_chat):
        after = _after_last_reply(sent, found)
    else:
        return sent
    said = _before_reply(after)
    again = said == [(one.role, one.content) for one in sent.new[: len(said)]]
    gone = after[len(said) :] if again else after
    is_sure = replaces is not None or (talk.whole_chat and bool(sent.replied))
    if not is_sure and any(row.role == MessageRole.USER for row in gone):
        return sent
    if gone and earlier_turn(talk.relationship.id, idempotency):
        return sent  # the same call was answered meanwhile, and its reply is repeated
    if gone:
        _hide(talk, gone, by=by, with_entries=not again)
    return replace(sent, new=sent.new[len(said) :]) if again else sent


def _session_messages(talk: Talk) -> Any:
    """The session's messages, newest first."""
    owned = Message.objects.for_relationship(talk.relationship.id)
    return owned.filter(session=talk.session, erased_at=None).order_by("-seq")


def _since_turn(talk: Talk, sent: Sent, found: Any, turn_id: UUID) -> list[Message]:
    """The visible messages from this turn on; if the turn has only a reply, from the person's message before it on."""
    turn = (
        Turn.objects.for_relationship(talk.relationship.id).filter(id=turn_id, session=talk.session).first()
    )
    if turn is None:
        raise InvalidInput.of("rapport.replaces", "is not a turn of this session")
    shown = found.filter(hidden_at=None)
    said = shown.exclude(role=ANSWERS)
    if not shown.filter(turn_id=turn.id).exists():  # withdrawn earlier, by a call that failed
        newest = shown.filter(role=ANSWERS).first()
        start = newest.seq + 1 if newest else 0
    else:
        role = sent.new[0].role if sent.new else MessageRole.USER
        begun = said.filter(turn_id=turn.id).first() or said.filter(role=role, seq__lt=turn.seq).first()
        if begun:  # another call may withdraw these messages meanwhile
            begun = said.filter(turn_id=begun.turn_id).last() or begun
        start = begun.seq if begun else turn.seq
    return list(reversed(shown.filter(seq__gte=start)))


def _after_last_reply(sent: Sent, found: Any) -> list[Message]:
    """The visible messages after the last reply that the client sent; none if that is the last one, or is not found."""
    found = found.filter(hidden_at=None)
    if not sent.replied:
        return _from_the_person(list(reversed(found[:LOOKED_AT])))
    place = sent.replied[-1]
    reply = told_of(sent.conversation[place]).strip()
    newest = found.first()
    if newest is None or _is_reply(newest, reply):
        return []
    rows = list(reversed(found[:LOOKED_AT]))
    asked = told_of(sent.conversation[place - 1]).strip() if place else None
    for at in range(len(rows) - 1, -1, -1):
        if _is_reply(rows[at], reply) and (not at or asked in (None, rows[at - 1].content.strip())):
            return _from_the_person(rows[at + 1 :])
    return []


def _from_the_person(rows: Sequence[Message]) -> list[Message]:
    """Skip what the companion said unprompted: it is not a reply, and the client may not know it."""
    return list(dropwhile(lambda row: row.role == ANSWERS, rows))


def _is_reply(message: Message, reply: str) -> bool:
    return message.role == ANSWERS and message.content.strip() == reply


def _before_reply(after: Sequence[Message]) -> list[tuple[str, str]]:
    """The messages before the first reply, as (role, content)."""
    end = next((place for place, row in enumerate(after) if row.role == ANSWERS), len(after))
    return [(row.role, row.content) for row in after[:end]]


def _stands_last(sent: Sent, found: Any) -> bool:
    last = list(reversed(found.filter(hidden_at=None)[: len(sent.new)]))
    return [(row.role, row.content) for row in last] == [(one.role, one.content) for one in sent.new]


@transaction.atomic
def _hide(talk: Talk, gone: Sequence[Message], *, by: Actor, with_entries: bool) -> None:
    """Hide messages. `with_entries`: also delete entries that rest on the first exchange alone. Entries of the later
    exchanges stay: those were left out of this chat, but not taken back.
    """
    relationship_id, now = talk.relationship.id, timezone.now()
    lock_relationship(relationship_id)
    hide_messages(relationship_id=relationship_id, message_ids=[row.id for row in gone], now=now)
    if not with_entries:
        return
    turn_id = gone[0].turn_id
    ids = {row.id for row in gone if row.turn_id == turn_id}
    entries = ScratchpadEntry.objects.for_relationship(relationship_id).active()
    resting = entries.filter(
        source_message_ids__contained_by=list(ids), pinned=False, read_only=False
    ).exclude(source_message_ids=[])
    delete_entries(
        relationship_id=relationship_id,
        entry_ids=list(resting.values_list("id", flat=True)),
        by=by,
        reason=SAID_DIFFERENTLY,
    )
