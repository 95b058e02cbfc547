from datetime import timedelta

import pytest
from django.utils import timezone

from memory.entries.editing import revise_entry
from memory.entries.snapshots import rebuild_scratchpad
from memory.models import ScratchpadEntry
from relationships.models import Snapshot
from tests.fixtures.turns import PERSON, Conversation
from tests.unit.upkeep.verification.damage import check_mended, check_whole, run


@pytest.mark.parametrize(
    "damage",
    [
        "scratchpad = '[]'",
        "scratchpad = scratchpad - 0",
        "profile = '{}'",
        "sessions = '{}'",
        "has_archive = false",
        "fresh_until = now() + interval '1 day'",
    ],
)
def test_a_section_that_is_not_what_the_rows_say_is_built_anew(lived: Conversation, damage: str) -> None:
    kept = Snapshot.objects.values("profile", "sessions", "scratchpad", "fresh_until", "has_archive").get()
    run(f"UPDATE relationships_snapshot SET {damage}")

    check_mended(["snapshots/differs"])

    assert kept == Snapshot.objects.values(*kept).get()


def test_a_snapshot_that_is_lost_is_built_anew(lived: Conversation) -> None:
    Snapshot.objects.all().delete()

    check_mended(["snapshots/differs"])

    assert Snapshot.objects.get().profile == {"plan": "pro"}


def test_a_snapshot_of_an_older_release_that_knows_no_archive_yet_is_in_order(lived: Conversation) -> None:
    Snapshot.objects.update(has_archive=None)

    check_whole()


def test_time_alone_makes_no_snapshot_wrong(lived: Conversation) -> None:
    """Lines that have begun, ended or expired since it was written: readers look at each line's own times."""
    now = timezone.now()
    times = [now - timedelta(minutes=30), now - timedelta(minutes=20), now + timedelta(minutes=10)]
    fields = ["valid_from", "valid_to", "expires_at"]
    for entry, field, at in zip(lived.entries, fields, times, strict=False):
        revise_entry(relationship_id=entry.relationship_id, entry_id=entry.id, values={field: at}, by=PERSON)
    entry = lived.entries[0]
    own = {"relationship_id": entry.relationship_id, "project_id": entry.project_id}
    for minutes in (60, 25, 15, 0):
        rebuild_scratchpad(**own, now=now - timedelta(minutes=minutes))
        check_whole()
    assert ScratchpadEntry.objects.active().count() >= 3
