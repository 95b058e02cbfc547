"""Erasing an entry for good, and then, message by message, what still holds its words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.erasing import counts_in_words
from admin_ui.params import parse_uuid
from admin_ui.views.scratchpad import RelationshipPart, entry_of
from relationships.models import Message, Relationship, Role
from upkeep.erasure import erase_entry, redact_messages
from upkeep.erasure.holding import MOST_LISTED


@dataclass(frozen=True, slots=True)
class Listed:
    """A message for an owner to decide about; `words`: which of the erased ones it holds, as far as that is known."""

    message: Message
    words: Sequence[str]


class EraseEntryView(RelationshipPart):
    """Asks first, on a page of its own. Its answer is the list of what still holds the words: it is nowhere kept."""

    needs = needs_to_write = Role.OWNER

    def get(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        ctx = {**self.ctx_of(relationship), "entry": entry_of(relationship_id, entry_id)}
        return render(request, "admin_ui/entries/erase.html", ctx)

    def post(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        kept: Literal["redact", "keep"] = "keep" if request.POST.get("messages") == "keep" else "redact"
        erased = erase_entry(
            relationship_id=relationship_id, entry_id=entry_id, by=self.access.actor, messages=kept
        )
        words = {holding.id: sorted(holding.words) for holding in erased.holding.listed}
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "listed": _listed(relationship, words),
            "more": erased.holding.total - len(words),
            "common": erased.holding.common,
            "gone": counts_in_words(erased.erasure.counts),
        }
        return render(request, "admin_ui/entries/erased.html", ctx)


class RedactMessagesView(RelationshipPart):
    """Empties the messages that were ticked, and shows the others of the list again until none is left."""

    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        listed, ticked = _ids(request, "listed"), _ids(request, "message")
        if ticked:
            redact_messages(
                project_id=relationship.project_id,
                relationship_id=relationship_id,
                message_ids=ticked,
                by=self.access.actor,
            )
            said = f"{len(ticked)} message{'' if len(ticked) == 1 else 's'} redacted."
            messages.success(request, said)
        left = _listed(relationship, dict.fromkeys(listed, ()))
        if not left:
            return redirect("admin_ui:relationship_conversation", relationship_id)
        ctx = {**self.ctx_of(relationship), "listed": left, "unticked": not ticked}
        return render(request, "admin_ui/entries/erased.html", ctx, status=200 if ticked else 422)


def _listed(relationship: Relationship, words: Mapping[UUID, Sequence[str]]) -> list[Listed]:
    """In this order, with their texts; without what was emptied meanwhile."""
    rows = Message.objects.for_relationship(relationship.id).filter(id__in=list(words), erased_at=None)
    found = {message.id: message for message in rows}
    return [Listed(found[message_id], held) for message_id, held in words.items() if message_id in found]


def _ids(request: HttpRequest, name: str) -> list[UUID]:
    sent = request.POST.getlist(name)[:MOST_LISTED]
    return list(dict.fromkeys(found for text in sent if (found := parse_uuid(text))))
