"""Erasing an entry for good, and then, message by message, what still holds its words."""

from collections.abc import Mapping, Sequence
from typing import Literal
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from admin_ui.access import OperatorView, way_back
from admin_ui.params import parse_uuid
from admin_ui.views.scratchpad import entry_of
from admin_ui.words import counts_in_words
from relationships.models import Message, Relationship, Role
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.sequence import lock_relationship
from upkeep.erasure.entries import erase_entry
from upkeep.erasure.holding import MOST_LISTED
from upkeep.erasure.messages import redact_messages

_DONE = {"hide": "hidden", "show": "shown again", "erase": "erased"}


class EraseEntryView(OperatorView):
    """Asks first, on a page of its own. Its answer is the list of what still holds the words: it is nowhere kept."""

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
            gone=counts_in_words(erased.counts),
        )


class MessagesView(OperatorView):
    """A decision about messages that were ticked."""

    def ids(self, name: str) -> list[UUID]:
        sent = self.request.POST.getlist(name)[:MOST_LISTED]
        return list(dict.fromkeys(found for text in sent if (found := parse_uuid(text))))

    def redact(self, message_ids: list[UUID]) -> None:
        redact_messages(
            project_id=self.project_id,
            relationship_id=self.relationship.id,
            message_ids=message_ids,
            by=self.actor,
        )


class RedactMessagesView(MessagesView):
    """Empties the messages that were ticked, and shows the others of the list again until none is left."""

    needs_to_write = Role.OWNER

    def post(self, request: HttpRequest) -> HttpResponse:
        listed, ticked = self.ids("listed"), self.ids("message")
        if ticked:
            self.redact(ticked)
            messages.success(request, f"{len(ticked)} message{'' if len(ticked) == 1 else 's'} redacted.")
        left = _listed(self.relationship, dict.fromkeys(listed, ()))
        if not left:
            return redirect("admin_ui:relationship_conversation", self.relationship.id)
        status = 200 if ticked else 422
        return self.show("entries/erased", listed=left, unticked=not ticked, status=status)


class ChosenMessagesView(MessagesView):
    """Hides the messages that were ticked in the conversation, shows them again, or empties them for good."""

    needs = Role.EDITOR

    def post(self, request: HttpRequest) -> HttpResponse:
        chosen, verb = self.ids("message"), request.POST.get("verb", "")
        conversation = reverse("admin_ui:relationship_conversation", args=[self.relationship.id])
        back = way_back(request) or conversation
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
        said = f"{len(chosen)} message{'' if len(chosen) == 1 else 's'} {_DONE[verb]}."
        return self.done(said, back)


def _listed(
    relationship: Relationship, words: Mapping[UUID, Sequence[str]]
) -> list[tuple[Message, Sequence[str]]]:
    """Messages to decide about, in this order, each with the erased words that it holds, as far as that is known;
    without what was emptied meanwhile.
    """
    rows = Message.objects.for_relationship(relationship.id).filter(id__in=list(words), erased_at=None)
    found = {message.id: message for message in rows}
    return [(found[message_id], held) for message_id, held in words.items() if message_id in found]
