import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from demo.errors import UnreadableConversation
from demo.management.commands.demo import CONVERSATION
from demo.reading import read_conversation

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def written(folder: Path, data: Any) -> Path:
    file = folder / "told.json"
    file.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return file


def test_the_demos_own_conversation_is_long_enough_and_can_be_read() -> None:
    told = read_conversation(CONVERSATION, now=NOW)
    assert len(told.turns) >= 40
    assert told.turns[-1].occurred_at <= NOW


def test_a_locomo_file_is_known_by_its_conversation(tmp_path: Path) -> None:
    data = {
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ann", "text": "Hi"}],
        }
    }
    assert read_conversation(written(tmp_path, data), now=NOW).user.name == "Ann"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"turns": [', "It is not JSON: Expecting value, line 1 column 12."),
        (b"\xff\xfe", "It is not UTF-8 text (at byte 0)."),
        (b"[]", "It must be one JSON object, in braces."),
        (b"[" * 100_000, "It is nested too deep."),
        (
            {"talk": 1},
            "has neither `conversation` (LoCoMo) nor `turns` (Rapport's own); what it has is talk.",
        ),
        ({}, "what it has is nothing."),
        ({"turns": 7}, "turns: must be a list"),
        (b'{"turns": [{"day": ' + b"1" * 5000 + b"}]}", "It is not read: Exceeds the limit"),
        (b'{"turns": [], "turns": [{"day": 0}]}', "turns stands twice in one object."),
    ],
    ids=[
        "cut off",
        "not text",
        "a list",
        "deep",
        "another kind",
        "empty",
        "a wrong field",
        "digits",
        "twice",
    ],
)
def test_a_file_that_is_not_a_conversation_is_refused_with_a_reason(
    data: Any, sentence: str, tmp_path: Path
) -> None:
    file = written(tmp_path, data)
    with pytest.raises(UnreadableConversation) as refused:
        read_conversation(file, now=NOW)
    assert str(refused.value).startswith(f"{file} can't be read. ")
    assert sentence in str(refused.value)


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableConversation, match="No such file"):
        read_conversation(tmp_path / "none.json", now=NOW)


def test_the_first_of_many_problems_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    turns = [{"day": 1, "time": "09:00", "messages": [{"role": "user", "content": "Hi"}]}] * 9
    data = {
        "companion": {"name": "A", "slug": "a"},
        "user": {"external_id": "m", "display_name": "M"},
        "turns": turns,
    }
    with pytest.raises(UnreadableConversation, match=r"turns\.4\.day: .*; and 4 more\.$"):
        read_conversation(written(tmp_path, data), now=NOW)
