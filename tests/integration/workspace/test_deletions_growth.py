"""What hot context says of deleted entries is compared with those that stay once, not for each of the deleted; and what
brings one back follows from what it was, not from how many were deleted since and how many files there are.
"""

import tracemalloc

from memory.entries.editing import delete_entries
from memory.entries.restoring import restore_entry
from memory.mending.deletions import told_by_deleted
from memory.models import ScratchpadEntry
from relationships.models import Companion, Relationship
from tests.fixtures.api import TESTER
from tests.fixtures.contexts import remember
from tests.fixtures.people import meet
from tests.fixtures.workspaces import whole
from tests.growth import MOST, growth
from workspace.files import change_files
from workspace.hot_context import PATH, read_hot_context


def test_many_entries_that_hot_context_repeats(companion: Companion) -> None:
    def made(size: int) -> tuple[Relationship, list[ScratchpadEntry], list[str]]:
        pair = meet(companion)
        gone = remember(pair, *(f"{'the ' * number}walrus likes tea" for number in range(size)))
        remember(pair, *(f"Keeps a walrus that likes teachers {number}" for number in range(20 * size)))
        return whole(pair), gone, [f"Walrus likes tea {number}" for number in range(20)]

    def work(case: tuple[Relationship, list[ScratchpadEntry], list[str]]) -> None:
        assert all(len(said) == 20 for said in told_by_deleted(*case).values())

    assert growth(work, made, size=5) < MOST


def test_an_entry_is_brought_back_without_reading_the_trees_of_all_that_were_deleted(
    companion: Companion,
) -> None:
    files = {f"notes/{number:03}.md": b"A note" for number in range(300)}

    def peak(count: int) -> int:
        pair = whole(meet(companion))
        likes = [f"Likes walrus{number}x at home." for number in range(count)]
        entries = remember(pair, *likes)
        hot = "".join(f"- {like}\n" for like in likes)
        change_files(relationship=pair, changes={**files, PATH: hot.encode()}, by=TESTER)
        delete_entries(relationship_id=pair.id, entry_ids=[entry.id for entry in entries], by=TESTER)
        assert read_hot_context(pair.id)[0] == ""
        tracemalloc.start()
        try:
            restore_entry(relationship_id=pair.id, entry_id=entries[0].id, by=TESTER)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            assert read_hot_context(pair.id)[0] == f"- {likes[0]}\n"

    peak(1)  # imports
    assert peak(40) < 2 * peak(10)
