"""What is loaded in bulk is, row for row, what the services write."""

from datetime import UTC, datetime
from typing import Any

import pytest

from benchmarks.peers.hosted.rapport_rows import active_entries, companion, load, relationship, set_up
from context.pipeline import build_context
from memory.indexing.write import index_entries
from memory.models import ScratchpadEntry, SearchText
from memory.retrieval.configuration import Retrieval
from memory.services.snapshots import rebuild_scratchpad
from relationships.models import Snapshot

pytestmark = pytest.mark.django_db
MEMORIES = {"maya": ["Lives in Lisbon", "Has 2 cats & a dog"], "ben": ["Plays the piano"]}
COLUMNS = "owner_id kind state tier speaker language lexemes length text_hash".split()


def searched(relationship_id: Any) -> list[tuple[Any, ...]]:
    rows = SearchText.objects.for_relationship(relationship_id).order_by("owner_id").values_list(*COLUMNS)
    return [tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row) for row in rows]


@pytest.mark.parametrize("recipe", ["scratchpad", "importance"])
def test_loaded_entries_are_indexed_and_shown_as_the_services_do_it(recipe: str) -> None:
    set_up("ada", {"recipe": recipe, "retrieval": {"embedder": None}})
    load(companion("ada"), MEMORIES)
    maya = relationship(companion("ada"), "maya")
    ids: dict[str, Any] = {"relationship_id": maya.id, "project_id": maya.project_id}
    sections = ("scratchpad", "fresh_until", "has_archive")
    loaded = searched(maya.id), Snapshot.objects.filter(relationship=maya).values_list(*sections).get()

    entries = ScratchpadEntry.objects.for_relationship(maya.id).values_list("id", flat=True)
    now = datetime.now(UTC)
    index_entries(**ids, entry_ids=list(entries), retrieval=Retrieval(), now=now)
    rebuild_scratchpad(**ids, now=now)

    assert loaded == (
        searched(maya.id),
        Snapshot.objects.filter(relationship=maya).values_list(*sections).get(),
    )
    assert len(loaded[0]) == 2


def test_loaded_entries_are_in_the_next_context() -> None:
    set_up("ada", {"recipe": "scratchpad"})
    load(companion("ada"), MEMORIES)
    ben = relationship(companion("ada"), "ben")

    built = build_context(project_id=ben.project_id, relationship_id=ben.id, message="Hello")

    assert "Plays the piano" in built.system
    assert "Lives in Lisbon" not in built.system
    assert active_entries(ben.id) == ["Plays the piano"]
