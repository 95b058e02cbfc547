from tests.labelled.scratchpad import THURSDAY, entry, known
from tests.labelled.strategies import ask

SHOWN = known(entry("Lives in Lisbon", "identity", key="city"), entry("Is moving to Faro soon", "goal"))


def test_what_an_entry_says_anew_names_it_and_what_is_over_leaves() -> None:
    answer = ask("score", "We moved to Faro yesterday!", SHOWN, at=THURSDAY)

    [memory] = answer["memories"]
    assert (memory["entry"], memory["type"], memory["score"]) == (1, "identity", 9)
    assert answer["forget"] == [{"entry": 2, "reason": "the move was made", "messages": [1]}]


def test_what_is_new_names_no_entry_and_has_its_day() -> None:
    [memory] = ask("classify", "I have an exam on the 3rd.", SHOWN, at=THURSDAY)["memories"]

    assert "entry" not in memory
    assert (memory["type"], memory["happens_at"], memory["confidence"]) == ("event", "2026-12-03", 0.95)


def test_what_says_nothing_of_anybody_has_no_memories() -> None:
    assert ask("score", "What a day!", SHOWN, at=THURSDAY) == {"memories": [], "forget": []}
