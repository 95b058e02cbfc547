import json

from benchmarks.peers.dialects.base import Request
from benchmarks.peers.dialects.mem0 import answer
from benchmarks.peers.facts import Change

BOOK = {
    "I moved to Porto.": [Change("Lives in Porto", "Lives in Lisbon")],
    "Forget it.": [Change("", "Lives in Lisbon")],
}


def asked(*said: str, known: list[str]) -> Request:
    existing = [{"id": str(place), "text": text} for place, text in enumerate(known)]
    lines = "".join(f"user: {text}\nassistant: I see.\n" for text in said)
    prompt = (
        f"## Summary\n\n\n## Last k Messages\nuser: I moved to Porto.\n\n## Recently Extracted Memories\n[]\n\n"
        f"## Existing Memories\n{json.dumps(existing)}\n\n## New Messages\n{lines}\n\n"
        "## Observation Date\n2026-03-02\n\n## Current Date\n2026-03-02\n\n# Output:"
    )
    system = "# ROLE\n\nYou are a Memory Extractor, and more."
    return Request({"messages": [{"role": "system", "content": system}, {"role": "user", "content": prompt}]})


def test_a_change_is_added_beside_what_was_and_linked_to_it() -> None:
    said = answer(asked("I moved to Porto.", known=["Has a cat", "Lives in Lisbon"]), BOOK)

    assert said is not None
    (memory,) = json.loads(said.text)["memory"]
    assert (memory["text"], memory["linked_memory_ids"]) == ("Lives in Porto", ["1"])


def test_a_wish_to_forget_has_no_operation() -> None:
    said = answer(asked("Forget it.", known=["Lives in Lisbon"]), BOOK)

    assert said is not None
    assert json.loads(said.text) == {"memory": []}


def test_what_was_said_earlier_is_not_read_again() -> None:
    said = answer(asked("Nice weather.", known=[]), BOOK)

    assert said is not None
    assert json.loads(said.text) == {"memory": []}


def test_others_prompts_are_not_its_own() -> None:
    assert answer(Request({"messages": [{"role": "user", "content": "## New Messages"}]}), BOOK) is None
