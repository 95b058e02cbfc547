"""A relationship's entries: the list with filters, and adding, editing, deleting, restoring and merging entries.

Each action is a form that redirects back to the list. With JavaScript, only a part of the page is replaced.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar
from urllib.parse import quote
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from admin_ui.access import OperatorView, RelationshipAction, return_path
from admin_ui.forms import EntryForm
from admin_ui.params import parse_uuids, version_param
from admin_ui.scratchpad import reviews_of, scratchpad_of
from admin_ui.words import sentence_of
from memory.entries.adding import add_entry
from memory.entries.editing import (
    Refused,
    Wanted,
    delete_entry,
    delete_what_can_be,
    merge_entries,
    revise_entry,
    revise_what_can_be,
)
from memory.entries.limits import entry_fault
from memory.entries.restoring import restore_entry, restore_what_can_be
from memory.mending.candidates import language_in
from memory.models import EntrySource, MendingPlan, ScratchpadEntry, Tier
from relationships.models import Role
from relationships.services.configuration import configuration_of
from web.errors import Conflict, NotFound, RapportError, StaleVersion

REASON = "by hand, in the admin UI"  # in the revisions
MOST_AT_ONCE = 500  # entries of a bulk action


def _revise(values: Mapping[str, Any], *, entry_ids: Sequence[UUID], reason: str, **change: Any) -> Refused:
    return revise_what_can_be(wanted=[Wanted(one, values, reason=reason) for one in entry_ids], **change)


BULK: dict[str, Callable[..., Refused]] = {
    "delete": delete_what_can_be,
    "restore": restore_what_can_be,
    "pin": partial(_revise, {"pinned": True}),
    "unpin": partial(_revise, {"pinned": False}),
    "archive": partial(_revise, {"tier": Tier.ARCHIVE}),
    "scratchpad": partial(_revise, {"tier": Tier.SCRATCHPAD}),
}
DONE = {"delete": "deleted", "restore": "restored"}  # the other actions: "updated"


class ScratchpadView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        relationship = self.relationship
        configured = configuration_of(relationship).values
        ingestion = configured.ingestion
        language = language_in(configured.retrieval.spoken_in(relationship.language))
        plans = MendingPlan.objects.for_relationship(relationship.id).awaiting_review()
        return self.show_or_part(
            "scratchpad/detail",
            "scratchpad/_entries",
            target="entries",
            **scratchpad_of(
                relationship, request, budget=ingestion.soft_budget, language=language, tier=ingestion.tier
            ),
            held=reviews_of(relationship.id, request),
            plans=plans.order_by("recorded_at"),
            form=EntryForm(types=ingestion.types),
            query=request.GET.urlencode(),
        )


class EntryAction(RelationshipAction):
    """Base class of changes of entries."""

    def change_of(self, entry_id: UUID) -> dict[str, Any]:
        """Return the arguments that the services for changing an entry have in common."""
        return {
            "relationship_id": self.relationship.id,
            "entry_id": entry_id,
            "by": self.actor,
            "reason": REASON,
        }


class EntryFormView(EntryAction):
    """Base class of forms for an entry."""

    needs = Role.EDITOR

    @cached_property
    def ingestion(self) -> Any:
        return configuration_of(self.relationship).values.ingestion

    def form(self) -> EntryForm:
        return EntryForm(self.request.POST, types=self.ingestion.types)

    def values_of(self, form: EntryForm) -> dict[str, Any]:
        """Return the form's values as `add_entry` and `revise_entry` take them."""
        values = form.values()
        return {**values, "single_valued": values["key"] in self.ingestion.single_valued}

    def _page(self, form: EntryForm, **more: Any) -> HttpResponse:
        return self.show("scratchpad/entry_form", form=form, next=return_path(self.request), **more)


class AddEntryView(EntryFormView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(EntryForm(types=self.ingestion.types))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = self.form()
        if not form.is_valid():
            return self._page(form, status=422)
        try:
            add_entry(
                relationship=self.relationship,
                values=self.values_of(form),
                by=self.actor,
                source=EntrySource.MANUAL,
                reason=REASON,
                limit=self.ingestion.max_entries,
            )
        except RapportError as error:
            form.add_error(None, sentence_of(error))
            return self._page(form, status=409)
        return self.redirect_back("Entry added.")


class EditEntryView(EntryFormView):
    def get(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        entry = entry_of(self.relationship.id, entry_id)
        return self._page(EntryForm.of(entry, types=self.ingestion.types), entry=entry)

    def post(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        form = self.form()
        if not form.is_valid():
            return self._edit_page(form, entry_id, status=422)
        try:
            revise_entry(
                **self.change_of(entry_id), values=self.values_of(form), version=version_param(request.POST)
            )
        except StaleVersion:
            return self._edit_page(form, entry_id, stale=True, status=409)
        except RapportError as error:
            form.add_error(None, sentence_of(error))
            return self._edit_page(form, entry_id, status=409)
        return self.redirect_back("Entry saved.")

    def _edit_page(self, form: EntryForm, entry_id: UUID, **more: Any) -> HttpResponse:
        return self._page(form, entry=entry_of(self.relationship.id, entry_id), **more)


class DeleteEntryView(EntryAction):
    def post(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        delete_entry(**self.change_of(entry_id), version=version_param(request.POST))
        undo = reverse("admin_ui:relationship_restore_entry", args=[self.relationship.id, entry_id])
        return self.redirect_back("Entry deleted.", undo=undo)


class RestoreEntryView(EntryAction):
    def post(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        restore_entry(**self.change_of(entry_id))
        return self.redirect_back("Entry restored.")


class SwitchEntryView(EntryAction):
    """Pins or unpins an entry, sets or removes its read-only mark, or moves it to the other tier."""

    values: ClassVar[dict[str, Callable[[ScratchpadEntry], dict[str, Any]]]] = {
        "pinned": lambda entry: {"pinned": not entry.pinned},
        "read_only": lambda entry: {"read_only": not entry.read_only},
        "tier": lambda entry: {"tier": Tier.ARCHIVE if entry.tier == Tier.SCRATCHPAD else Tier.SCRATCHPAD},
    }

    def post(self, request: HttpRequest, entry_id: UUID) -> HttpResponse:
        entry = entry_of(self.relationship.id, entry_id)
        switch = self.values.get(request.POST.get("switch", ""))
        if switch is None:
            raise NotFound("This setting does not exist.")
        revise_entry(**self.change_of(entry_id), values=switch(entry), version=version_param(request.POST))
        return self.redirect_back("Entry updated.")


class BulkView(EntryAction):
    """The same action for all selected entries. Entries that can't be changed are skipped, which the message says."""

    def post(self, request: HttpRequest) -> HttpResponse:
        chosen = parse_uuids(request.POST.getlist("entry")[:MOST_AT_ONCE])
        do = request.POST.get("do", "")
        if do == "merge":
            return self._merge(chosen)
        if do not in BULK:
            raise NotFound("This action does not exist.")
        here = {"relationship_id": self.relationship.id, "by": self.actor, "reason": REASON}
        errors = [sentence_of(error) for error in BULK[do](entry_ids=chosen, **here).values()]
        message = f"{len(chosen) - len(errors)} {DONE.get(do, 'updated')}."
        if errors:
            message += f" {len(errors)} skipped: {errors[0]}"
        if do == "delete":
            message += " To bring one back, show the state deleted."
        return self.redirect_back(message)

    def _merge(self, chosen: list[UUID]) -> HttpResponse:
        """Join two entries into the first, and supersede the second, which can be restored."""
        if len(chosen) != 2:
            raise Conflict("Select two entries to merge.")
        kept, other = (entry_of(self.relationship.id, entry_id) for entry_id in chosen)
        text = f"{kept.content.rstrip('. ')}; {other.content}"
        if entry_fault(text):
            raise Conflict(
                f"Together they exceed the limit of {settings.MAX_ENTRY_BYTES} bytes for one entry. "
                "Nothing was changed; shorten one of them first."
            )
        merge_entries(kept=kept, other=other, content=text, by=self.actor, how=REASON)
        edit = reverse("admin_ui:relationship_edit_entry", args=[self.relationship.id, kept.id])
        if back := return_path(self.request):
            edit = f"{edit}?next={quote(back)}"
        response = self.redirect_with_message("Entries merged. Edit the text if needed.", edit)
        return HttpResponse(status=204, headers={"HX-Redirect": edit}) if self.htmx else response


def entry_of(relationship_id: UUID, entry_id: UUID) -> ScratchpadEntry:
    """Return an entry of the relationship. Raises NotFound."""
    entry: ScratchpadEntry | None = (
        ScratchpadEntry.objects.for_relationship(relationship_id).filter(id=entry_id).first()
    )
    if entry is None:
        raise NotFound("This entry does not exist, or was erased.")
    return entry
