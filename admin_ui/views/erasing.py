"""Erasing an entry for good, and then, message by message, what still holds its words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from admin_ui.access import way_back
from admin_ui.erasing import counts_in_words
from admin_ui.params import parse_uuid
from admin_ui.views.scratchpad import RelationshipPart, entry_of
from relationships.models import Message, Relationship, Role
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.sequence import lock_relationship
from upkeep.erasure import erase_entry, redact_messages
from upkeep.erasure.holding import MOST_LISTED

_DONE = {"hide": "hidden", "show": "shown again", "erase": "erased"}


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
            "gone": counts_in_words(erased.counts),
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


class ChosenMessagesView(RelationshipPart):
    """Hides the messages that were ticked in the conversation, shows them again, or empties them for good."""

    needs = Role.EDITOR

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        chosen, verb = _ids(request, "message"), request.POST.get("verb", "")
        conversation = reverse("admin_ui:relationship_conversation", args=[relationship_id])
        back = redirect(way_back(request) or conversation)
        if not chosen or verb not in _DONE or (verb == "erase" and not self.access.is_owner):
            messages.error(request, "Select messages." if not chosen else "Only an owner can erase.")
            return back
        if verb == "erase":
            redact_messages(
                project_id=relationship.project_id,
                relationship_id=relationship_id,
                message_ids=chosen,
                by=self.access.actor,
            )
        else:
            with transaction.atomic():
                lock_relationship(relationship_id)
                write = hide_messages if verb == "hide" else show_messages
                write(relationship_id=relationship_id, message_ids=chosen, now=timezone.now())
        messages.success(request, f"{len(chosen)} message{'' if len(chosen) == 1 else 's'} {_DONE[verb]}.")
        return back


def _listed(relationship: Relationship, words: Mapping[UUID, Sequence[str]]) -> list[Listed]:
    """In this order, with their texts; without what was emptied meanwhile."""
    rows = Message.objects.for_relationship(relationship.id).filter(id__in=list(words), erased_at=None)
    found = {message.id: message for message in rows}
    return [Listed(found[message_id], held) for message_id, held in words.items() if message_id in found]


def _ids(request: HttpRequest, name: str) -> list[UUID]:
    sent = request.POST.getlist(name)[:MOST_LISTED]
    return list(dict.fromkeys(found for text in sent if (found := parse_uuid(text))))
