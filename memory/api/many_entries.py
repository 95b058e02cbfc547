"""Many entries that are there, changed or deleted at once: all of them or none. (New ones: new_entries.)"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import EntriesAnswer, EntryAnswer
from memory.api.new_entries import fitting
from memory.api.schemas import EntriesPatch, WhichEntries, check_merged
from memory.entries.editing import Wanted, delete_entries, revise_entries
from memory.ingestion.configuration import Ingestion
from memory.models import ScratchpadEntry
from relationships.api.views import ApiView
from relationships.configuration.merge_patch import merge_patch
from relationships.services.configuration import configuration_of
from web.errors import InvalidInput, NotFound, RapportError
from web.fields import Answer
from web.operations import operation

TAG = "Entries"


class ChangeEntriesView(ApiView):
    open_to_tokens = True

    @operation("entries_change_bulk", "Change many entries at once", answers={200: EntriesAnswer})
    def post(self, request: Request, relationship_id: UUID, body: EntriesPatch) -> Response:
        """Changes all of them, each named once, or none: each entry that would be refused is named by its path."""
        relationship = self.get_relationship(relationship_id, "companion", "project")
        ingestion = configuration_of(relationship).values.ingestion
        rows = ScratchpadEntry.objects.for_relationship(relationship_id)
        found = {entry.id: entry for entry in rows.filter(id__in=[one.id for one in body.entries])}
        wanted: list[Wanted] = []
        refused: dict[str, RapportError] = {}
        for place, one in enumerate(body.entries):
            sent = one.sent()
            try:
                if (entry := found.pop(sent.pop("id"), None)) is None:
                    raise NotFound("This entry does not exist, or was named before.")
                wanted.append(wanted_of(entry, sent, ingestion, version=sent.pop("version", None)))
            except (InvalidInput, NotFound) as error:
                refused[f"entries.{place}"] = error
        if refused:
            raise InvalidInput.of_parts(refused)
        entries = revise_entries(relationship_id=relationship_id, wanted=wanted, by=self.actor)
        return self.answer({"items": [EntryAnswer.of(entry) for entry in entries]})


def wanted_of(
    entry: ScratchpadEntry, sent: Mapping[str, Any], ingestion: Ingestion, *, version: int | None
) -> Wanted:
    """What a patch wants of an entry, whose tags and metadata it is merged into. Raises InvalidInput."""
    values = {name: value for name, value in sent.items() if name != "reason"}
    merged: dict[str, Any] = {
        name: merge_patch(getattr(entry, name), values[name])
        for name in ("tags", "metadata")
        if name in values
    }
    check_merged(merged)
    if version is None and merged:
        version = entry.version  # what was merged rests on the version just read
    return Wanted(entry.id, fitting({**values, **merged}, ingestion), version, sent.get("reason", ""))


class DeletedEntriesAnswer(Answer):
    changed: int
    """How many were not deleted before."""


class DeleteEntriesView(ApiView):
    open_to_tokens = True

    @operation("entries_delete_bulk", "Delete many entries at once", answers={200: DeletedEntriesAnswer})
    def post(self, request: Request, relationship_id: UUID, body: WhichEntries) -> Response:
        """Deletes all of them, or none if one can't be deleted: each entry that would be refused is named by its
        path. They can be restored.
        """
        self.get_relationship(relationship_id)
        changed = delete_entries(
            relationship_id=relationship_id, entry_ids=body.entries, by=self.actor, reason=body.reason
        )
        return self.answer({"changed": changed})
