from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import EntryAnswer, RevisionAnswer
from memory.api.many_entries import wanted_of
from memory.api.new_entries import add_once, get_entry, new_values
from memory.api.schemas import (
    EntryBody,
    EntryListQuery,
    EntryPatch,
    EntryQuery,
    HistoryQuery,
    ReasonBody,
)
from memory.entries.adding import add_entry
from memory.entries.editing import revise_entry
from memory.entries.restoring import restore_entry
from memory.entries.time_travel import NEWEST_FIRST as PAST_NEWEST_FIRST
from memory.entries.time_travel import entry_of, revisions_at
from memory.mending.forgotten import Forgotten
from memory.mending.matching import WithWords
from memory.models import EntryRevision, EntrySource, EntryState, ScratchpadEntry
from relationships.api.views import ApiView
from relationships.services.configuration import configuration_of
from web.errors import NotFound
from web.fields import Page
from web.headers import expected_version
from web.operations import operation

TAG = "Entries"

NEWEST_FIRST = ["-effective_at", "-id"]
ROUTE = "entries"  # for idempotency keys


class EntriesView(ApiView):
    open_to_tokens = True

    @operation("entries_list", "List entries, newest first", answers={200: Page[EntryAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: EntryListQuery) -> Response:
        """With `as_of` or `known_at`, as they were at that time. Entries that were erased since are never included;
        entries that were forgotten since only with `hidden`.
        """
        self.get_relationship(relationship_id)
        if query.as_of is not None or query.known_at is not None:
            return self._page_of_the_past(relationship_id, query)
        rows = ScratchpadEntry.objects.for_relationship(relationship_id).filter(**_filters(query))
        if query.state in ("any", EntryState.DELETED) and not query.hidden:
            rows = rows.exclude(id__in=Forgotten.of(relationship_id).entries.keys())
        if query.tag:
            rows = rows.exclude(tags={})  # the condition of the index on tags
        keep = None if query.text is None else WithWords(relationship_id, query.text)
        slow = _slow(query)
        return self.page(rows, EntryAnswer.of, order=NEWEST_FIRST, query=query, slow=slow, keep=keep)

    def _page_of_the_past(self, relationship_id: UUID, query: EntryListQuery) -> Response:
        revisions = revisions_at(
            relationship_id=relationship_id, as_of=query.as_of, known_at=query.known_at, now=timezone.now()
        )
        filters = {f"after__{name}": wanted for name, wanted in _filters(query).items()}
        rows = revisions.filter(**filters)
        if not query.hidden:
            rows = rows.exclude(Forgotten.of(relationship_id).revisions)
        keep = None
        if query.text is not None:
            keep = WithWords(relationship_id, query.text, lambda revision: revision.after["content"])
        order, slow = PAST_NEWEST_FIRST, _slow(query)
        return self.page(rows, self._present_past, order=order, query=query, slow=slow, keep=keep)

    def _present_past(self, revision: EntryRevision) -> dict[str, Any]:
        return EntryAnswer.of(entry_of(revision.after or {}, revision.relationship_id, self.project_id))

    @operation(
        "entries_create",
        "Remember something",
        answers={201: EntryAnswer},
        idempotent=True,
        etag=True,
        problems=(404, 409, 410),
    )
    def post(self, request: Request, relationship_id: UUID, body: EntryBody) -> Response:
        relationship = self.get_relationship(relationship_id, "companion", "project", "user")
        ingestion = configuration_of(relationship).values.ingestion
        values = new_values(body, relationship, ingestion)

        def add() -> list[ScratchpadEntry]:
            added = add_entry(
                relationship=relationship,
                values=values,
                by=self.actor,
                source=EntrySource.API,
                reason=body.reason,
                limit=ingestion.max_entries,
            )
            return [added]

        (entry,) = add_once(self, relationship, ROUTE, 1, add)
        return self.answer(EntryAnswer.of(entry), status=201, version=entry.version)


class EntryView(ApiView):
    open_to_tokens = True

    @operation("entries_read", "Read an entry", answers={200: EntryAnswer}, etag=True, problems=(410,))
    def get(self, request: Request, relationship_id: UUID, entry_id: UUID, query: EntryQuery) -> Response:
        """An entry that was forgotten has no text."""
        self.get_relationship(relationship_id)
        entry = get_entry(relationship_id, entry_id)
        deleted = entry.state == EntryState.DELETED and not query.hidden
        if deleted and entry.id in Forgotten.of(relationship_id).entries:
            entry.content, entry.subject, entry.category, entry.key = "", "", "", None
            entry.tags, entry.metadata, entry.happens_at = {}, {}, None
        return self.answer(EntryAnswer.of(entry), version=entry.version)

    @operation(
        "entries_change",
        "Change an entry",
        answers={200: EntryAnswer},
        if_match=True,
        etag=True,
        problems=(410,),
    )
    def patch(self, request: Request, relationship_id: UUID, entry_id: UUID, body: EntryPatch) -> Response:
        """With If-Match, a change based on an older version is refused: read the entry again and decide."""
        version = expected_version(request)
        relationship = self.get_relationship(relationship_id, "companion", "project")
        entry = get_entry(relationship_id, entry_id)
        wanted = wanted_of(
            entry, body.sent(), configuration_of(relationship).values.ingestion, version=version
        )
        entry = revise_entry(
            relationship_id=relationship_id,
            entry_id=entry_id,
            values=wanted.values,
            by=self.actor,
            version=wanted.version,
            reason=wanted.reason,
        )
        return self.answer(EntryAnswer.of(entry), version=entry.version)


class RestoreEntryView(ApiView):
    open_to_tokens = True

    @operation(
        "entries_restore",
        "Restore a deleted, expired or superseded entry",
        body_optional=True,
        answers={200: EntryAnswer},
        if_match=True,
        etag=True,
        problems=(410,),
    )
    def post(self, request: Request, relationship_id: UUID, entry_id: UUID, body: ReasonBody) -> Response:
        self.get_relationship(relationship_id)
        get_entry(relationship_id, entry_id)
        entry = restore_entry(
            relationship_id=relationship_id,
            entry_id=entry_id,
            by=self.actor,
            version=expected_version(request),
            reason=body.reason,
        )
        return self.answer(EntryAnswer.of(entry), version=entry.version)


def _slow(query: EntryListQuery) -> list[str]:
    """The parameters that no index serves."""
    return [name for name in ("text_contains", "as_of", "known_at") if getattr(query, name)]


def _filters(query: EntryListQuery) -> dict[str, Any]:
    filters = query.given("type", "tier", "subject", "category")
    if query.state != "any":
        filters["state"] = query.state
    if query.text_contains is not None:
        filters["content__icontains"] = query.text_contains
    if query.tag:
        filters["tags__contains"] = dict(tag.split("=", 1) for tag in query.tag)
    return filters


class EntryHistoryView(ApiView):
    open_to_tokens = True

    @operation(
        "entries_history", "List an entry's changes, newest first", answers={200: Page[RevisionAnswer]}
    )
    def get(self, request: Request, relationship_id: UUID, entry_id: UUID, query: HistoryQuery) -> Response:
        """The history outlives the entry. For an erased entry it says what happened and when, without the text."""
        rows = self.owned(EntryRevision, relationship_id).filter(entry_id=entry_id)
        if query.cursor is None and not rows.exists():
            raise NotFound("This entry does not exist.")
        return self.page(rows, _told(relationship_id, query), order=["-seq"], query=query)


class HistoryView(ApiView):
    open_to_tokens = True

    @operation(
        "history_list",
        "List every change of the relationship's memory, newest first",
        answers={200: Page[RevisionAnswer]},
    )
    def get(self, request: Request, relationship_id: UUID, query: HistoryQuery) -> Response:
        rows = self.owned(EntryRevision, relationship_id)
        return self.page(rows, _told(relationship_id, query), order=["-seq"], query=query)


def _told(relationship_id: UUID, query: HistoryQuery) -> Callable[[EntryRevision], dict[str, Any]]:
    """How to present a change; of a forgotten entry's change, only that there was one, and when."""
    if query.hidden:
        return RevisionAnswer.of
    forgotten = Forgotten.of(relationship_id)

    def tell(revision: EntryRevision) -> dict[str, Any]:
        if forgotten.in_revision(revision.entry_id, revision.entry_version):
            revision.before, revision.after, revision.reason = None, None, ""
        return RevisionAnswer.of(revision)

    return tell
