from uuid import UUID

from admin_ui.views.time_travel import compare_entries
from memory.models import ScratchpadEntry


def entry(number: int, content: str) -> ScratchpadEntry:
    return ScratchpadEntry(id=UUID(int=number), content=content)


def test_what_is_new_what_changed_and_what_is_gone_are_told_apart() -> None:
    then = [entry(1, "Lives in Porto"), entry(2, "Has a dog"), entry(3, "Likes tea")]
    later = [entry(4, "Has a cat"), entry(1, "Lives in Lisbon"), entry(3, "Likes tea")]

    changes = compare_entries(then, later)

    assert [(change.kind, change.entry_id.int) for change in changes] == [
        ("added", 4),
        ("changed", 1),
        ("removed", 2),
    ]
    assert [piece.text for piece in changes[1].text] == ["Lives in ", "Porto", "Lisbon"]
