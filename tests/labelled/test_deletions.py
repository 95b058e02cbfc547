"""How well the rules tell a deletion that is asked for from one that a small model makes at random.

The cases are in deletions.json. `pytest tests/labelled -s` prints the figures.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation
from memory.ingestion.unrequested_deletions import leave_what_nobody_asked
from relationships.models import MessageRole
from tests.unit.memory.ingestion.readings import ingestion_input, shown

CASES: dict[str, Any] = json.loads(Path(__file__).with_name("deletions.json").read_text())
JUSTIFIED, BY_CHANCE = 0.96, 0.04  # shares of the deletions that go ahead


def goes_ahead(said: str, reply: str, earlier: str, *entries: str) -> bool:
    """Return whether the first of these entries is deleted."""
    references = [earlier] if earlier else []
    given = ingestion_input(said, entries=[shown(entry) for entry in entries], references=references)
    given = with_reply(given, reply)
    (item,) = leave_what_nobody_asked([Operation("delete", (1,), {}, entry=1)], given, [])
    return item.op == "delete"


def with_reply(given: IngestionInput, reply: str) -> IngestionInput:
    (said,) = given.messages
    answered = replace(said, role=MessageRole.ASSISTANT, speaker="Ada", content=reply)
    return replace(given, messages=(said, answered))


def test_nearly_all_justified_deletions_go_ahead_and_hardly_any_at_random() -> None:
    justified = [
        goes_ahead(one["said"], "Thank you for telling me.", one.get("earlier", ""), one["entry"], "Is tall")
        for one in CASES["justified"]
    ]
    by_chance = [
        goes_ahead(said, reply, "", entry, *CASES["entries"])
        for said, reply in CASES["talk"]
        for entry in CASES["entries"]
    ]
    kept, lost = sum(justified) / len(justified), sum(by_chance) / len(by_chance)
    print(f"\ndeletions: {kept:.3f} of {len(justified)} justified, {lost:.3f} of {len(by_chance)} at random")
    assert len(justified) >= 50
    assert kept >= JUSTIFIED
    assert lost <= BY_CHANCE
