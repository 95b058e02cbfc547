"""What hot context says of deleted entries is compared with those that stay once, not for each of the deleted."""

from memory.mending.deletions import told_by_deleted
from memory.models import ScratchpadEntry
from relationships.models import Companion, Relationship
from tests.fixtures.contexts import remember
from tests.fixtures.people import meet
from tests.fixtures.workspaces import whole
from tests.growth import MOST, growth


def test_many_entries_that_hot_context_repeats(companion: Companion) -> None:
    def made(size: int) -> tuple[Relationship, list[ScratchpadEntry], list[str]]:
        pair = meet(companion)
        gone = remember(pair, *(f"{'the ' * number}walrus likes tea" for number in range(size)))
        remember(pair, *(f"Keeps a walrus that likes teachers {number}" for number in range(20 * size)))
        return whole(pair), gone, [f"Walrus likes tea {number}" for number in range(20)]

    def work(case: tuple[Relationship, list[ScratchpadEntry], list[str]]) -> None:
        assert all(len(said) == 20 for said in told_by_deleted(*case).values())

    assert growth(work, made, size=5) < MOST
