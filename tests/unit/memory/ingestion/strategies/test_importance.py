"""What a message says with a phrase of a floor is compared with the entries in time that grows with both."""

from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.strategies.floors import sentences_of
from memory.ingestion.strategies.importance import left_unsaid
from tests.growth import MOST, growth
from tests.unit.memory.ingestion.readings import ingestion_input, shown


def test_many_sentences_are_compared_with_long_entries_in_time_that_grows_with_both() -> None:
    def loves(size: int) -> IngestionInput:
        entries = [shown(" ".join(f"w{size}x{word}" for word in range(300))) for _ in range(size)]
        return ingestion_input("".join(f"I love thing{number}.\n" for number in range(size)), entries=entries)

    def kept(given: IngestionInput) -> list[str]:
        floors = given.ingestion.importance.floors
        return [
            item.content
            for item in left_unsaid([], given, {1: sentences_of(1, given.messages[0].content, floors)})
        ]

    assert kept(loves(1)) == ['Said: "I love thing0."']
    assert growth(kept, loves, size=20) < MOST
