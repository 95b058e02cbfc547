"""Erase the words of messages. That something was said, when and by whom, stays readable."""

from collections.abc import Collection
from uuid import UUID

from django.utils import timezone

from relationships.models import Message
from relationships.services.sequence import lock_relationship
from upkeep.erasure.allow_erasure import erasing
from upkeep.erasure.copies import empty_copies
from upkeep.erasure.counts import Counts, tell
from upkeep.erasure.erased_texts import Traces, Words
from web.actor import Actor
from web.errors import InvalidInput


def redact_messages(
    *, project_id: UUID, relationship_id: UUID, message_ids: Collection[UUID], by: Actor
) -> Counts:
    """Empty messages, with every copy of what they say; if one of them doesn't exist, none.

    Entries based on them stay. Emptied ones stay empty. Raises InvalidInput.
    """
    with erasing():
        lock_relationship(relationship_id)
        wanted = set(message_ids)
        messages = Message.objects.for_relationship(relationship_id).filter(id__in=wanted)
        missing = wanted - set(messages.values_list("id", flat=True))
        if missing:
            raise InvalidInput.of(
                "messages", f"{min(missing)} is not a message of this relationship; none was redacted"
            )
        counts = Counts()
        if wanted:
            counts = empty_copies(relationship_id, Words(), Traces(), messages=wanted, now=timezone.now())
        return tell(
            project_id=project_id,
            level="relationship",
            action="messages.redacted",
            target_id=relationship_id,
            by=by,
            counts=counts,
            messages=wanted,
        )
