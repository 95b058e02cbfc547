"""An import is held to the limit on entries that the configuration sets."""

import json
from typing import Any

import pytest

from memory.errors import TooManyEntries
from memory.models import ScratchpadEntry
from relationships.models import Relationship
from upkeep.api.archive_file import ArchiveFile
from upkeep.importing import import_relationship
from web.actor import Actor

BY = Actor.policy("test")


def imported(document: Any, into: Relationship) -> dict[str, int]:
    archive = ArchiveFile(json.dumps(document).encode(), depth=40)
    return import_relationship(relationship=into, archive=archive, by=BY)


@pytest.mark.parametrize("own", [False, True], ids=["of the companion", "of the archive"])
def test_an_archive_may_hold_as_many_active_entries_as_the_limit_says(
    relationship: Relationship, own: bool
) -> None:
    entries = [{"type": "other", "content": f"Fact {number}"} for number in range(4)]
    entries[0] |= {"state": "deleted"}
    limit = {"ingestion": {"max_entries": 2}}
    document = {"format": "rapport.relationship", "version": 1, "entries": entries}
    if own:
        document["relationship"] = {"config": limit}
    else:
        relationship.companion.config = limit
        relationship.companion.save()

    with pytest.raises(TooManyEntries) as refused:
        imported(document, relationship)

    assert (refused.value.extra["limit"], refused.value.extra["count"]) == (2, 3)
    assert not ScratchpadEntry.objects.exists()
    assert imported({**document, "entries": entries[:3]}, relationship) == {"scratchpad_entry": 3}
