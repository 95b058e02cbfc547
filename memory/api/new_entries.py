"""Adds entries by REST: checks them against the companion's configuration, once for each idempotency key."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import EntriesAnswer, EntryAnswer
from memory.api.schemas import EntriesBody, EntryBody
from memory.entries.adding import add_entries
from memory.ingestion.configuration import Ingestion
from memory.mending.judging import subject_of_text
from memory.models import EntryRevision, EntrySource, RevisionEvent, ScratchpadEntry
from relationships.api.views import ApiView
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.idempotency import earlier_resource, remember_key
from relationships.services.sequence import lock_relationship
from web.errors import Gone, InvalidInput, NotFound
from web.operations import operation

TAG = "Entries"
ROUTE = "entries/bulk"  # for idempotency keys


class BulkEntriesView(ApiView):
    open_to_tokens = True

    @operation(
        "entries_create_bulk",
        "Remember many things at once",
        answers={201: EntriesAnswer},
        idempotent=True,
        problems=(404, 409, 410),
    )
    def post(self, request: Request, relationship_id: UUID, body: EntriesBody) -> Response:
        """Remembers all of them, in order, or none: each entry that would be refused is named by its path. Far less
        work than one call for each.
        """
        relationship = self.get_relationship(relationship_id, "companion", "project", "user")
        ingestion = configuration_of(relationship).values.ingestion
        given, refused = [], {}
        for place, entry in enumerate(body.entries):
            try:
                given.append((new_values(entry, relationship, ingestion), entry.reason))
            except InvalidInput as error:
                refused[f"entries.{place}"] = error
        if refused:
            raise InvalidInput.of_parts(refused)

        def add() -> list[ScratchpadEntry]:
            return add_entries(
                relationship=relationship,
                given=given,
                by=self.actor,
                source=EntrySource.API,
                limit=ingestion.max_entries,
            )

        entries = add_once(self, relationship, ROUTE, len(given), add)
        return self.answer({"items": [EntryAnswer.of(entry) for entry in entries]}, status=201)


def new_values(body: EntryBody, relationship: Relationship, ingestion: Ingestion) -> dict[str, Any]:
    values = fitting(body.model_dump(exclude={"reason"}), ingestion)
    if values["effective_at"] is None:
        del values["effective_at"]
    if "subject" not in body.model_fields_set:
        owners = [relationship.user.display_name, relationship.user.external_id]
        values["subject"] = subject_of_text(body.content, owners) or values["subject"]
    return values


def fitting(sent: dict[str, Any], ingestion: Ingestion) -> dict[str, Any]:
    """What was sent, checked against the companion's entry types and vocabulary. Raises InvalidInput."""
    known = ingestion.type_names
    if "type" in sent and sent["type"] not in known:
        raise InvalidInput.of("type", f"is none of the companion's types; known: {', '.join(known)}")
    if "key" in sent:
        sent["single_valued"] = sent["key"] in ingestion.single_valued
    return sent


def add_once(
    view: ApiView,
    relationship: Relationship,
    route: str,
    count: int,
    add: Callable[[], list[ScratchpadEntry]],
) -> list[ScratchpadEntry]:
    """The `count` entries that `add` adds, or that an earlier request with the same key added."""
    idempotency = view.idempotency(route)
    if idempotency is None:
        return add()
    with transaction.atomic():
        lock_relationship(relationship.id)
        earlier = earlier_resource(relationship.id, idempotency)
        if earlier is not None:
            return _added_with(relationship.id, earlier, count)
        entries = add()
        remember_key(relationship, idempotency, entries[0].id)
        return entries


def _added_with(relationship_id: UUID, first: UUID, count: int) -> list[ScratchpadEntry]:
    """The entries of one transaction, starting with `first`: their revisions have consecutive numbers."""
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(event=RevisionEvent.ADD)
    began = revisions.filter(entry_id=first).values("seq")[:1]
    ids = revisions.filter(seq__gte=began).order_by("seq").values_list("entry_id", flat=True)[:count]
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=list(ids))
    found = {entry.id: entry for entry in rows}
    return [found.get(each) or get_entry(relationship_id, each) for each in ids]


def get_entry(relationship_id: UUID, entry_id: UUID) -> ScratchpadEntry:
    """Raises NotFound; Gone if only its history is left."""
    entry: ScratchpadEntry | None = (
        ScratchpadEntry.objects.for_relationship(relationship_id).filter(id=entry_id).first()
    )
    if entry is not None:
        return entry
    if EntryRevision.objects.for_relationship(relationship_id).filter(entry_id=entry_id).exists():
        raise Gone("This entry was erased permanently.")
    raise NotFound("This entry does not exist.")
