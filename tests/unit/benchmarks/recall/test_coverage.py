from datetime import UTC, datetime

import pytest

from benchmarks.recall.chats import Asked, Chat, chats
from benchmarks.recall.coverage import coverage
from benchmarks.recall.sets import AskedOfTurns, Said, Talk

AT = datetime(2024, 3, 2, tzinfo=UTC)


def quiet(_: str) -> None:
    """Progress is nobody's business here."""


@pytest.mark.django_db
def test_what_is_said_and_in_no_entry_is_covered_by_the_messages_alone() -> None:
    turns = (
        Said("D1:1", "session-1", "Maya", "The heron stood on the blue barge all morning.", AT),
        Said("D1:2", "session-1", "Tom", "ok", AT),
    )
    asked = AskedOfTurns("Where did the heron stand?", 4, frozenset({"D1:1"}))

    covered, gate = coverage([Talk("small", ("Maya", "Tom"), turns, (asked,))], quiet)

    shares = {row[0]: row[1] for row in covered.rows}
    assert (shares["list at 2,000"], shares["both at 2,000"]) == ("0.0", "100.0")
    assert [row[1] for row in gate.rows] == ["0 of 1", "1 of 2", "0 of 1"]


@pytest.mark.django_db
def test_a_session_is_found_by_one_of_its_messages() -> None:
    lines = [("a", "user", "I bought a cello", AT), ("b", "assistant", "How is the weather?", AT)]
    found = chats([Chat("one", "Maya", lines, [Asked("cello", frozenset("ab"))])], quiet)

    assert found.rows == [("best, as installed", "50.0", "50.0")]
