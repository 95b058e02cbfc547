"""What a companion knows about a person, and every way to mend it on the spot.

Each action works as a plain form (it leads back to the page) and through htmx, which swaps the page's own part.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar
from urllib.parse import quote
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from admin_ui.access import CHANGED_MEANWHILE, OperatorView, render_page_or_part, way_back
from admin_ui.conversation import what_was_said
from admin_ui.forms import EntryForm
from admin_ui.params import parse_uuid, version_param
from admin_ui.scratchpad import held_of, scratchpad_of
from admin_ui.words import sentence_of
from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, merge_entries, restore_entry, revise_entry
from memory.entries.limits import entry_fault
from memory.mending.candidates import language_in
from memory.models import EntrySource, MendingPlan, ScratchpadEntry, Tier
from relationships.models import Relationship, Role
from relationships.services.configuration import configuration_of
from web.errors import Conflict, NotFound, RapportError, StaleVersion

BY_HAND = "by hand, in the admin UI"
MOST_AT_ONCE = 500
BULK: dict[str, Callable[..., object]] = {
    "delete": delete_entry,
    "restore": restore_entry,
    "pin": partial(revise_entry, values={"pinned": True}),
    "unpin": partial(revise_entry, values={"pinned": False}),
    "archive": partial(revise_entry, values={"tier": Tier.ARCHIVE}),
    "scratchpad": partial(revise_entry, values={"tier": Tier.SCRATCHPAD}),
}
DONE = {"delete": "deleted", "restore": "restored"}  # any other is an update


class RelationshipPart(OperatorView):
    """A page or an action of one relationship. `tab`: which of its tabs is the present one."""

    tab: ClassVar[str] = "scratchpad"

    def ctx_of(self, relationship: Relationship) -> dict[str, Any]:
        return {"relationship": relationship, "tab": self.tab, "said": what_was_said(relationship)}


class ScratchpadView(RelationshipPart):
    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        configured = configuration_of(relationship).values
        ingestion = configured.ingestion
        language = language_in(configured.retrieval.spoken_in(relationship.language))
        ctx = {
            **self.ctx_of(relationship),
            **scratchpad_of(
                relationship, request, budget=ingestion.soft_budget, language=language, tier=ingestion.tier
            ),
            "held": held_of(relationship.id),
            "plans": MendingPlan.objects.for_relationship(relationship.id)
            .awaiting_review()
            .order_by("recorded_at"),
            "form": EntryForm(types=ingestion.types),
            "query": request.GET.urlencode(),
        }
        return render_page_or_part(request, "scratchpad/detail", "scratchpad/_entries", ctx, target="entries")


class EntryAction(RelationshipPart):
    """A change that leads back to the list as it was filtered, with a notice that can undo it where that helps."""

    def back(self, request: HttpRequest, relationship_id: UUID, said: str, *, undo: str = "") -> HttpResponse:
        messages.success(request, said, extra_tags=undo)
        return redirect(way_back(request) or reverse("admin_ui:relationship", args=[relationship_id]))

    def came_too_late(self, request: HttpRequest) -> HttpResponse:
        """Back too, to what stands there by now."""
        messages.warning(request, f"{CHANGED_MEANWHILE} This is how it stands now.")
        return redirect(
            way_back(request) or reverse("admin_ui:relationship", args=[self.kwargs["relationship_id"]])
        )


class AddEntryView(EntryAction):
    needs = Role.EDITOR

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        form = EntryForm(types=configuration_of(relationship).values.ingestion.types)
        ctx = {**self.ctx_of(relationship), "form": form, "next": way_back(request)}
        return render(request, "admin_ui/scratchpad/add.html", ctx)

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        ingestion = configuration_of(relationship).values.ingestion
        form = EntryForm(request.POST, types=ingestion.types)
        ctx = {**self.ctx_of(relationship), "form": form, "next": way_back(request)}
        if not form.is_valid():
            return render(request, "admin_ui/scratchpad/add.html", ctx, status=422)
        values = form.values()
        values["single_valued"] = values.get("key") in ingestion.single_valued
        try:
            add_entry(
                relationship=relationship,
                values=values,
                by=self.access.actor,
                source=EntrySource.MANUAL,
                reason=BY_HAND,
                limit=ingestion.max_entries,
            )
        except RapportError as error:
            form.add_error(None, sentence_of(error))
            return render(request, "admin_ui/scratchpad/add.html", ctx, status=409)
        return self.back(request, relationship_id, "Entry added.")


class EditEntryView(EntryAction):
    needs = Role.EDITOR

    def get(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        return self._form(request, relationship_id, entry_id, None)

    def post(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        ingestion = configuration_of(relationship).values.ingestion
        form = EntryForm(request.POST, types=ingestion.types)
        if not form.is_valid():
            return self._form(request, relationship_id, entry_id, form, status=422)
        values = form.values()
        values["single_valued"] = values.get("key") in ingestion.single_valued
        try:
            revise_entry(
                relationship_id=relationship_id,
                entry_id=entry_id,
                values=values,
                by=self.access.actor,
                version=version_param(request.POST),
                reason=BY_HAND,
            )
        except StaleVersion:
            return self._form(request, relationship_id, entry_id, form, stale=True, status=409)
        except RapportError as error:
            form.add_error(None, sentence_of(error))
            return self._form(request, relationship_id, entry_id, form, status=409)
        return self.back(request, relationship_id, "Entry saved.")

    def _form(
        self,
        request: HttpRequest,
        relationship_id: UUID,
        entry_id: UUID,
        form: EntryForm | None,
        *,
        stale: bool = False,
        status: int = 200,
    ) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        entry = entry_of(relationship_id, entry_id)
        types = configuration_of(relationship).values.ingestion.types
        ctx = {
            **self.ctx_of(relationship),
            "entry": entry,
            "form": form or EntryForm.of(entry, types=types),
            "stale": stale,
            "next": way_back(request),
        }
        return render(request, "admin_ui/scratchpad/edit.html", ctx, status=status)


class DeleteEntryView(EntryAction):
    def post(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        delete_entry(
            relationship_id=relationship_id,
            entry_id=entry_id,
            by=self.access.actor,
            version=version_param(request.POST),
            reason=BY_HAND,
        )
        undo = reverse("admin_ui:relationship_restore_entry", args=[relationship_id, entry_id])
        return self.back(request, relationship_id, "Entry deleted.", undo=undo)


class RestoreEntryView(EntryAction):
    def post(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        restore_entry(
            relationship_id=relationship_id, entry_id=entry_id, by=self.access.actor, reason=BY_HAND
        )
        return self.back(request, relationship_id, "Entry restored.")


class SwitchEntryView(EntryAction):
    """Pin, protect, or move between the tiers."""

    values: ClassVar[dict[str, Callable[[ScratchpadEntry], dict[str, Any]]]] = {
        "pinned": lambda entry: {"pinned": not entry.pinned},
        "read_only": lambda entry: {"read_only": not entry.read_only},
        "tier": lambda entry: {"tier": Tier.ARCHIVE if entry.tier == Tier.SCRATCHPAD else Tier.SCRATCHPAD},
    }

    def post(self, request: HttpRequest, relationship_id: UUID, entry_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        entry = entry_of(relationship_id, entry_id)
        switch = self.values.get(request.POST.get("switch", ""))
        if switch is None:
            raise NotFound("This setting does not exist.")
        revise_entry(
            relationship_id=relationship_id,
            entry_id=entry_id,
            values=switch(entry),
            by=self.access.actor,
            version=version_param(request.POST),
            reason=BY_HAND,
        )
        return self.back(request, relationship_id, "Entry updated.")


class BulkView(EntryAction):
    """The same for each entry that was ticked. One that can't be changed is left, and said."""

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        ticked = request.POST.getlist("entry")[:MOST_AT_ONCE]
        chosen = [found for text in ticked if (found := parse_uuid(text))]
        do = request.POST.get("do", "")
        if do == "merge":
            return self._merge(request, relationship_id, chosen)
        if do not in BULK:
            raise NotFound("This action does not exist.")
        done, left = 0, []
        for entry_id in chosen:
            try:
                BULK[do](
                    relationship_id=relationship_id, entry_id=entry_id, by=self.access.actor, reason=BY_HAND
                )
                done += 1
            except RapportError as error:
                left.append(sentence_of(error))
        said = f"{done} {DONE.get(do, 'updated')}." + (f" {len(left)} skipped: {left[0]}" if left else "")
        if do == "delete":
            said += " To bring one back, show the state deleted."
        return self.back(request, relationship_id, said)

    def _merge(self, request: HttpRequest, relationship_id: UUID, chosen: list[UUID]) -> HttpResponse:
        """The first one ticked stays and says both; the other steps back, and can be restored."""
        if len(chosen) != 2:
            raise Conflict("Select two entries to merge.")
        kept, other = (entry_of(relationship_id, entry_id) for entry_id in chosen)
        text = f"{kept.content.rstrip('. ')}; {other.content}"
        if entry_fault(text):
            raise Conflict(
                f"Together they exceed the limit of {settings.MAX_ENTRY_BYTES} bytes for one entry. "
                "Nothing was changed; shorten one of them first."
            )
        merge_entries(kept=kept, other=other, content=text, by=self.access.actor, how=BY_HAND)
        edit = reverse("admin_ui:relationship_edit_entry", args=[relationship_id, kept.id])
        messages.success(request, "Entries merged. Edit the text if needed.")
        back = way_back(request)
        edit = f"{edit}?next={quote(back)}" if back else edit
        if getattr(request, "htmx", False):
            return HttpResponse(status=204, headers={"HX-Redirect": edit})
        return redirect(edit)


def entry_of(relationship_id: UUID, entry_id: UUID) -> ScratchpadEntry:
    """Raises NotFound."""
    entry: ScratchpadEntry | None = (
        ScratchpadEntry.objects.for_relationship(relationship_id).filter(id=entry_id).first()
    )
    if entry is None:
        raise NotFound("This entry does not exist, or was erased.")
    return entry
