from benchmarks.peers.shown import shown_in
from memory.fence import escape_item, fence


def test_what_is_shown_is_read_between_the_fences() -> None:
    texts = ["Lives in Lisbon", "Has <two> cats & a dog", "1. is an odd beginning"]
    system = f"You are Ada.\n- not memory\n{fence(f'- {escape_item(text)}' for text in texts)}\nBe kind."

    assert shown_in(system) == texts


def test_nothing_is_shown_where_there_is_no_fence() -> None:
    assert shown_in("You are Ada.\n- not memory") == []
