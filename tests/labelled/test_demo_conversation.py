"""The demo conversation, read from end to end by the offline rules, leaves the memory it should."""

import json
import re
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings

from tests.labelled.scratchpad import Scratchpad

FILE = Path(settings.BASE_DIR) / "demo" / "conversation.json"
DAYS = [date(2026, 1, 1) + timedelta(days=17 * n) for n in range(24)]  # every weekday, every end of a month


@cache
def demo() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FILE.read_text())
    return loaded


def play(today: date) -> Scratchpad:
    pad = Scratchpad(timezone=demo()["timezone"], user_name=demo()["user"]["display_name"])
    for turn in demo()["turns"]:
        day = today + timedelta(days=turn["day"])
        at = datetime.fromisoformat(f"{day}T{turn['time']}").replace(tzinfo=ZoneInfo(demo()["timezone"]))
        pad.take([(message["role"], message["content"]) for message in turn["messages"]], at=at)
    return pad


def test_the_conversation_is_long_enough_and_mostly_holds_nothing() -> None:
    pad, silent = Scratchpad(timezone=demo()["timezone"]), 0
    for turn in demo()["turns"]:
        silent += not pad.take([(message["role"], message["content"]) for message in turn["messages"]])
    assert 44 <= len(demo()["turns"]) <= 50
    assert silent >= 15


@pytest.mark.parametrize("today", DAYS, ids=str)
def test_the_memory_is_right_on_whatever_day_it_is_played(today: date) -> None:
    contents = play(today).contents
    missing = [
        wanted for wanted in demo()["expected"] if not any(re.fullmatch(wanted, one) for one in contents)
    ]
    superfluous = [
        one for one in contents if not any(re.fullmatch(wanted, one) for wanted in demo()["expected"])
    ]
    assert (missing, superfluous) == ([], [])
    assert len(set(contents)) == len(contents)


@pytest.mark.parametrize("today", DAYS[:6], ids=str)
def test_what_was_asked_to_be_forgotten_is_gone(today: date) -> None:
    whole = "\n".join(play(today).contents).lower()
    assert [word for word in demo()["forgotten"] if word.lower() in whole] == []


def test_dates_that_were_said_relative_to_the_day_are_absolute() -> None:
    contents = play(date(2026, 11, 21)).contents
    assert "Has an appointment with a sports doctor on 9 November 2026" in contents
    assert "Lives in Lisbon (moved from Porto in November 2026)" in contents
    assert "Ana is visiting them on 21 November 2026" in contents
    assert "Lisbon half marathon on 14 March 2027" in contents
