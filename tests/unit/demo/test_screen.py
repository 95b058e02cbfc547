from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from demo.play import Change, PlayedTurn, Usage
from demo.screen import embedder_in_words, provider_in_words
from relationships.services.turns import NewMessage, NewTurn
from tests.unit.demo.screens import ReadableScreen

LISBON = ZoneInfo("Europe/Lisbon")
MORNING = datetime(2026, 7, 2, 8, 30, tzinfo=UTC)


@pytest.fixture
def screen() -> Iterator[ReadableScreen]:
    yield ReadableScreen()


def played(
    *changes: Change, said: str = "Hi", state: str = "applied", error: str = "", number: int = 7
) -> PlayedTurn:
    turn = NewTurn(
        [NewMessage("user", said), NewMessage("assistant", "Hello!")], occurred_at=MORNING, session="s1"
    )
    return PlayedTurn(number, turn, state, error, changes)


def test_a_turn_is_one_line_and_each_change_another(screen: ReadableScreen) -> None:
    screen.turn(
        played(
            Change("add", "identity", "Lives in [Porto]"),
            Change("update", "goal", "Wants to run", before="Wants to walk"),
            Change("delete", "preference", "Hates treadmills"),
            Change("held", "", "Has a sister"),
            Change("none", "event", "Ran ten kilometres"),
            Change("refused", "other", "Likes rain", reason="scored too low"),
            said="I moved\nyesterday!",
        ),
        LISBON,
    )
    assert screen.lines == [
        "Thu 2 Jul 2026  s1",
        "   7  09:30  I moved yesterday!",
        "         + identity     Lives in [Porto]",
        "         ~ goal         Wants to run",
        "                        was: Wants to walk",
        "         - preference   Hates treadmills",
        "         ?              Has a sister",
        "         = event        Ran ten kilometres",
        "         x other        Likes rain",
        "                        not kept: scored too low",
    ]


def test_what_was_said_is_cut_to_one_line_and_what_is_remembered_never() -> None:
    screen = ReadableScreen(width=40)
    screen.turn(played(Change("add", "goal", "Wants to " + "run " * 20), said="word " * 20), LISBON)
    assert screen.lines[1] == "   7  09:30  word word word word word w…"
    assert "".join(screen.lines[2:]).count("run") == 20


def test_colours_are_for_terminals_only() -> None:
    plain, terminal = ReadableScreen(), ReadableScreen(terminal=True)
    for screen in (plain, terminal):
        screen.turn(played(Change("add", "goal", "Wants to run")), LISBON)
    assert "\x1b[" not in plain.out.getvalue()
    assert "\x1b[32m" in terminal.out.getvalue()


def test_the_end_counts_changes_calls_and_cost(screen: ReadableScreen) -> None:
    screen.turn(
        played(Change("add", "goal", "Run"), Change("add", "goal", "Swim"), Change("none", "goal", "Run")),
        LISBON,
    )
    screen.tally(3, 1.25, Usage(calls={"1", "2"}, tokens=1234, cost=None))
    assert screen.lines[-1] == "3 turns in 1.2 s: 2 added. 2 model calls, 1,234 tokens, cost unknown."


def test_the_context_is_shown_with_its_tokens_by_layer(screen: ReadableScreen) -> None:
    layer: dict[str, Any] = {"milliseconds": 0.04, "left_out": None, "reason": "whole scratchpad"}
    context = {
        "layers": [
            {**layer, "name": "memory", "tokens": 307},
            {**layer, "name": "messages", "tokens": 40, "left_out": {"count": 3, "ids": []}},
        ],
        "total_tokens": 347,
        "system": "You are Ada.\n[memory]",
        "messages": [{"role": "user", "content": f"Line {number}"} for number in range(6)],
    }
    screen.context(context, "And?")
    text = "\n".join(screen.lines)
    assert "memory       307  0.04  whole scratchpad" in text
    assert "whole scratchpad; 3 left out" in text
    assert "total        347" in text
    assert "system: You are Ada.\n[memory]\n… 2 earlier messages …\nuser: Line 2" in text


@pytest.mark.parametrize(
    ("embedder", "words"),
    [
        (None, "none; entries are found by their words"),
        ({"alias": "offline"}, "offline: hashed words and parts of words, which know no meaning"),
        ({"alias": "local", "model": "MiniLM", "host": ""}, "local, model MiniLM"),
    ],
)
def test_an_embedder_is_named_in_words(embedder: dict[str, str] | None, words: str) -> None:
    assert embedder_in_words(embedder) == words


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ({"alias": "offline", "model": ""}, "offline: rules that read the text, not a language model"),
        ({"alias": "gemini", "model": "", "host": ""}, "gemini"),
        ({"alias": "openai", "model": "qwen", "host": "box:1"}, "openai, model qwen, at box:1"),
        ({}, "unknown"),
    ],
)
def test_a_provider_is_named_in_words(provider: dict[str, str], words: str) -> None:
    assert provider_in_words(provider) == words
