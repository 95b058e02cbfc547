"""What a clone takes of memory follows from what there is to send, and not from how often it is listed."""

import tracemalloc
from datetime import UTC, datetime

from relationships.models import Relationship
from tests.fixtures.workspaces import whole
from workspace.files import open_workspace
from workspace.git.repository import RowObjects
from workspace.identity import RAPPORT, author_of
from workspace.store import keep_commits, make_commit
from workspace.trees import Draft, entry_of

FILES, FEW, MANY = 400, 30, 90
AT = datetime(2026, 3, 2, 12, tzinfo=UTC)  # commits of one moment that say the same are one


def test_a_long_history_of_many_files_is_not_held_at_once(relationship: Relationship) -> None:
    here = whole(relationship)
    open_workspace(here)
    alike = {f"notes/{number:03}.md": entry_of(b"A note") for number in range(FILES)}

    def peak(count: int) -> int:
        commits = [
            make_commit(
                Draft(alike | {"count.md": entry_of(b"%d" % number)}),
                parents=(),
                author=author_of(RAPPORT),
                message="Count",
                at=AT,
            )
            for number in range(count)
        ]
        keep_commits(here, commits)
        tracemalloc.start()
        try:
            assert len(RowObjects(here.id).commits) == count + 1
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)  # imports
    few = peak(FEW)
    assert peak(MANY) < 1.6 * few
