"""Erasing an entry permanently, then the messages that still contain its words; hiding and erasing chosen messages."""

from collections.abc import Mapping, Sequence
from typing import Literal
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from admin_ui.access import OperatorView, return_path
from admin_ui.params import parse_uuids
from admin_ui.views.scratchpad import entry_of
from admin_ui.words import counted, counts_in_words
from relationships.models import Message, Relationship, Role
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.sequence import lock_relationship
from upkeep.erasure.entries import erase_entry
from upkeep.erasure.messages import redact_messages
from upkeep.erasure.remaining_messages import MOST_LISTED

_DONE = {"hide": "hidden", "show": "shown again", "erase": "erased"}


class EraseEntryView(OperatorView):
    """Erases an entry after a confirmation page. The response lists the messages that still contain its words; this
    list is not stored.
    """

    needs = needs_to_write = Role.OWNER

    def get(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        return self.show("entries/erase", entry=entry_of(self.relationship.id, entry_id))

    def post(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        kept: Literal["redact", "keep"] = "keep" if request.POST.get("messages") == "keep" else "redact"
        erased = erase_entry(
            relationship_id=self.relationship.id, entry_id=entry_id, by=self.actor, messages=kept
        )
        words = {holding.id: sorted(holding.words) for holding in erased.holding.listed}
        return self.show(
            "entries/erased",
            listed=_listed(self.relationship, words),
            more=erased.holding.total - len(words),
            common=erased.holding.common,
            counts=counts_in_words(erased.counts),
        )


class MessagesView(OperatorView):
    """Base class of changes of selected messages."""

    def ids(self, name: str) -> list[UUID]:
        return list(dict.fromkeys(parse_uuids(self.request.POST.getlist(name)[:MOST_LISTED])))

    def redact(self, message_ids: list[UUID]) -> None:
        redact_messages(
            project_id=self.project_id,
            relationship_id=self.relationship.id,
            message_ids=message_ids,
            by=self.actor,
        )


class RedactMessagesView(MessagesView):
    """Redacts the selected messages, and shows the rest of the list again until none is left."""

    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest) -> HttpResponse:
        listed, ticked = self.ids("listed"), self.ids("message")
        if ticked:
            self.redact(ticked)
            messages.success(request, f"{counted(len(ticked), 'message')} redacted.")
        left = _listed(self.relationship, dict.fromkeys(listed, ()))
        if not left:
            return redirect("admin_ui:relationship_conversation", self.relationship.id)
        status = 200 if ticked else 422
        return self.show("entries/erased", listed=left, unticked=not ticked, status=status)


class ChosenMessagesView(MessagesView):
    """Hides the selected messages of a conversation, shows them again, or erases them."""

    needs = Role.EDITOR

    def post(self, request: HttpRequest) -> HttpResponse:
        chosen, verb = self.ids("message"), request.POST.get("verb", "")
        conversation = reverse("admin_ui:relationship_conversation", args=[self.relationship.id])
        back = return_path(request) or conversation
        if not chosen or verb not in _DONE or (verb == "erase" and not self.access.is_owner):
            messages.error(request, "Select messages." if not chosen else "Only an owner can erase.")
            return redirect(back)
        if verb == "erase":
            self.redact(chosen)
        else:
            with transaction.atomic():
                lock_relationship(self.relationship.id)
                write = hide_messages if verb == "hide" else show_messages
                write(relationship_id=self.relationship.id, message_ids=chosen, now=timezone.now())
        return self.redirect_with_message(f"{counted(len(chosen), 'message')} {_DONE[verb]}.", back)


def _listed(
    relationship: Relationship, words: Mapping[UUID, Sequence[str]]
) -> list[tuple[Message, Sequence[str]]]:
    """Return the messages with these IDs, in this order, with the erased words that each contains (empty if unknown).

    Messages that were erased meanwhile are left out.
    """
    rows = Message.objects.for_relationship(relationship.id).filter(id__in=list(words), erased_at=None)
    found = {message.id: message for message in rows}
    return [(found[message_id], contained) for message_id, contained in words.items() if message_id in found]
