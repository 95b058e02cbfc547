"""Memory's routes under /v1."""

from django.urls import path, register_converter
from django.urls.converters import IntConverter

from memory.api.entries import EntriesView, EntryHistoryView, HistoryView, RestoreEntryView
from memory.api.held import ConfirmHeldView, DeclineHeldView, HeldDeletionsView
from memory.api.many_entries import ChangeEntriesView, DeleteEntriesView
from memory.api.new_entries import BulkEntriesView
from memory.api.prompts import PreviewPromptView, PromptsView, PromptView, PublishPromptView
from memory.api.search import EntrySearchView, MessageSearchView
from memory.api.turns import IngestView, RetryTurnView, TurnsView, TurnView


class VersionConverter(IntConverter):
    """A version number that a column can hold."""

    regex = "[0-9]{1,9}"


register_converter(VersionConverter, "version")

RELATIONSHIP = "relationships/<uuid:relationship_id>"
TURN = f"{RELATIONSHIP}/turns/<uuid:turn_id>"
ENTRY = f"{RELATIONSHIP}/entries/<uuid:entry_id>"
HELD = f"{RELATIONSHIP}/held-deletions/<uuid:held_id>"
PROMPTS = "companions/<uuid:companion_id>/prompts"

urlpatterns = [
    path(f"{RELATIONSHIP}/turns", TurnsView.as_view()),
    path(TURN, TurnView.as_view()),
    path(f"{TURN}/retry", RetryTurnView.as_view()),
    path(f"{RELATIONSHIP}/ingest", IngestView.as_view()),
    path(f"{RELATIONSHIP}/entries", EntriesView.as_view()),
    path(f"{RELATIONSHIP}/entries/bulk", BulkEntriesView.as_view()),
    path(f"{RELATIONSHIP}/entries/bulk-change", ChangeEntriesView.as_view()),
    path(f"{RELATIONSHIP}/entries/bulk-delete", DeleteEntriesView.as_view()),
    path(f"{RELATIONSHIP}/entries/search", EntrySearchView.as_view()),
    path(f"{RELATIONSHIP}/messages/search", MessageSearchView.as_view()),
    path(f"{ENTRY}/restore", RestoreEntryView.as_view()),
    path(f"{ENTRY}/history", EntryHistoryView.as_view()),
    path(f"{RELATIONSHIP}/history", HistoryView.as_view()),
    path(f"{RELATIONSHIP}/held-deletions", HeldDeletionsView.as_view()),
    path(f"{HELD}/confirm", ConfirmHeldView.as_view()),
    path(f"{HELD}/decline", DeclineHeldView.as_view()),
    path(PROMPTS, PromptsView.as_view()),
    path(f"{PROMPTS}/preview", PreviewPromptView.as_view()),
    path(f"{PROMPTS}/<version:version>", PromptView.as_view()),
    path(f"{PROMPTS}/<version:version>/publish", PublishPromptView.as_view()),
]
