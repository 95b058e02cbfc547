"""What mem0 wrote out, taken over by `import_mem0`."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.models import ScratchpadEntry
from relationships.models import Companion


def test_what_mem0_wrote_out_is_taken_over_with_its_dates(
    companion: Companion, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memories = [
        {
            "memory": "Has a cat.",
            "user_id": "maya",
            "created_at": "2024-05-08T13:56:00-07:00",
            "metadata": {"a": 1},
            "expiration_date": "2097-01-31",
        },
        {"memory": "Has a cat.", "user_id": "tom", "created_at": None, "expiration_date": "soon"},
        {"memory": "Knows Python.", "agent_id": "helper"},
        {"memory": " ", "user_id": "maya"},
    ]
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": memories}))

    call_command("import_mem0", file, companion="ada")

    entries = ScratchpadEntry.objects.order_by("effective_at")
    assert [(one.content, one.relationship.user.external_id) for one in entries] == [
        ("Has a cat.", "maya"),
        ("Has a cat.", "tom"),
    ]
    assert entries[0].effective_at == datetime(2024, 5, 8, 20, 56, tzinfo=UTC)
    assert [one.expires_at for one in entries] == [datetime(2097, 2, 1, tzinfo=UTC), None]
    assert (entries[0].metadata, entries[0].source) == ({"a": 1}, "import")
    told = capsys.readouterr()
    assert "100%" in told.err
    assert "2 entries of 2 people" in told.out
    assert told.err.count("left out") == 2


@pytest.mark.parametrize(
    "read", [b"no json", b'{"results": 1}', b"[1]", b'["\xff"]', b'{"results": [], "results": []}']
)
def test_another_file_is_refused(companion: Companion, tmp_path: Path, read: bytes) -> None:
    file = tmp_path / "mem0.json"
    file.write_bytes(read)
    with pytest.raises(CommandError, match=r"file|list|JSON"):
        call_command("import_mem0", file, companion="ada")


def test_what_can_not_be_kept_is_left_out_and_the_rest_is_taken_over(
    companion: Companion, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = [
        {"memory": "Half \ud800 a pair", "user_id": "maya"},
        {"memory": "Not a number", "user_id": "maya", "metadata": {"score": float("nan")}},
        {"memory": "A NUL", "user_id": "maya", "metadata": {"a": "\x00"}},
        {"memory": "A text", "user_id": "maya", "metadata": "a text"},
        {"memory": "Much", "user_id": "maya", "metadata": {"a": "x" * 20_000}},
        {"memory": "Two lines", "user_id": "ma\nya"},
    ]
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps([*broken, {"memory": "Has a cat.", "user_id": "maya"}]), encoding="utf-8-sig")

    call_command("import_mem0", file, companion="ada")

    assert ScratchpadEntry.objects.get().content == "Has a cat."
    told = capsys.readouterr()
    assert "1 entry of 1 person." in told.out
    assert told.err.count("left out") == len(broken)


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"])
def test_a_date_that_no_row_can_hold_is_not_kept(companion: Companion, tmp_path: Path, written: str) -> None:
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps([{"memory": "Has a cat.", "user_id": "maya", "created_at": written}]))

    for _ in range(2):  # the second time it reads what the first one wrote
        call_command("import_mem0", file, companion="ada")

    assert ScratchpadEntry.objects.get().effective_at.year > 2000
