"""The URLs where entries are listed and read."""

from datetime import UTC, datetime

from memory.models import EntryRevision, ScratchpadEntry
from tests.fixtures.people import MORNING


def lists_of_entries() -> list[str]:
    """The list as of now, in any state, and in the past; then each entry."""
    known_at = EntryRevision.objects.filter(event="add").latest("seq").recorded_at
    past = [f"as_of={told_at(MORNING)}", f"known_at={told_at(known_at)}"]
    lists = ["", *(f"?state={state}" for state in ("any", "deleted")), *(f"?{one}&state=any" for one in past)]
    alone = ScratchpadEntry.objects.values_list("id", flat=True)
    return [*(f"entries{one}" for one in lists), *(f"entries/{entry_id}" for entry_id in alone)]


def told_at(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
