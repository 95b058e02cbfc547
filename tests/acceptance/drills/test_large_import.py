"""A lawful archive nearly as large as may be is imported over HTTP, in memory that its size bounds, and exported again.

Its rows are of all sizes that an export has: short turns, entries with and without a history, long model calls.
"""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import httpx
import orjson
import pytest

from memory.models import EntryRevision, ModelCall, ScratchpadEntry
from relationships.models import Message, Relationship
from tests.acceptance.drills.talk import scaled
from tests.acceptance.service import LiveService

ON_LINUX = Path("/proc/self/clear_refs").exists()
pytestmark = [pytest.mark.drill, pytest.mark.skipif(not ON_LINUX, reason="a peak is told by Linux alone")]

MEGABYTE = 2**20
SIZE = scaled(6, 61) * MEGABYTE  # of the 64 that are taken
TIMES = 1.25  # its own size, that the process may grow by, beside what any request takes
ASIDE = 16 * MEGABYTE
NOW, SPACE = "2026-03-02T09:00:00Z", UUID(int=7)
ENTRIES = 500


def words(number: int, length: int) -> str:
    """Text that no two rows share, and that neither gzip nor a table stores away in no room."""
    told = " ".join(hashlib.sha256(f"{number}.{n}".encode()).hexdigest()[:9] for n in range(length // 10 + 1))
    return told[:length]


def row_id(kind: str, number: int) -> str:
    return str(uuid5(SPACE, f"{kind}.{number}"))


def turn(number: int) -> dict[str, Any]:
    """Two messages and the operation that was made of them."""
    messages = [
        {
            "id": row_id(role, number), "seq": 3 * number + place, "role": role, "speaker": "",
            "content": words(2 * number + place, 700), "occurred_at": NOW, "recorded_at": NOW, "erased_at": None,
        }
        for place, role in enumerate(("user", "assistant"), start=2)
    ]  # fmt: skip
    operation = {
        "operation": {"op": "add", "content": words(number, 100)}, "verdict": "refused", "reason": "", "entry_id": None,
    }  # fmt: skip
    return {
        "id": row_id("turn", number), "seq": 3 * number + 1, "session": "current", "occurred_at": NOW,
        "recorded_at": NOW, "config": {}, "state": "applied", "due_at": None, "waits_for": "", "attempts": 1,
        "claimed_at": NOW, "settled_at": NOW, "error_code": "", "error": "", "prompt_version": None,
        "operations": [operation], "model_call_ids": [row_id("call", number)], "messages": messages,
    }  # fmt: skip


def call(number: int) -> dict[str, Any]:
    return {
        "id": row_id("call", number), "purpose": "ingestion", "turn_ids": [row_id("turn", number)],
        "provider": "openai", "model": "m", "prompt_version": None, "system": "Remember.",
        "prompt": words(number, 2500), "answer": words(number, 300), "shown_entry_ids": [], "shown_message_ids": [],
        "reference_message_ids": [], "prompt_tokens": 700, "output_tokens": 90, "cost": None, "milliseconds": 1.0,
        "error_code": "", "error": "", "recorded_at": NOW, "redacted_at": None,
    }  # fmt: skip


def pieces(turns: int) -> Iterator[bytes]:
    session = {
        "id": row_id("session", 0), "session": "current", "state": {}, "version": 1, "started_at": NOW,
        "last_active_at": NOW, "ended_at": None, "idle_at": None,
    }  # fmt: skip
    yield b'{"format":"rapport.relationship","version":1,"sessions":[' + orjson.dumps(session)
    yield b'],"turns":[' + b",".join(orjson.dumps(turn(number)) for number in range(turns))
    entries = ({"type": "other", "content": words(number, 200)} for number in range(ENTRIES))
    yield b'],"entries":[' + b",".join(map(orjson.dumps, entries))
    yield b'],"model_calls":[' + b",".join(orjson.dumps(call(number)) for number in range(turns)) + b"]}"


def archive() -> tuple[bytes, int]:
    """About SIZE bytes of it, and of how many turns."""
    some, more = (len(b"".join(pieces(count))) for count in (100, 200))
    turns = (SIZE - some) * 100 // (more - some)
    return b"".join(pieces(turns)), turns


class Peak:
    """How much more memory than at its beginning any process of the web server has had since: Linux tells."""

    def __init__(self, live: LiveService) -> None:
        self.folders = [Path(f"/proc/{process.pid}") for process in live.web.family()]
        for folder in self.folders:
            (folder / "clear_refs").write_text("5")  # the peak is the present
        self.began = [self._kilobytes(folder, "VmRSS") for folder in self.folders]

    def grown(self) -> int:
        """Bytes."""
        now = [self._kilobytes(folder, "VmHWM") for folder in self.folders]
        return 1024 * max(after - before for after, before in zip(now, self.began, strict=True))

    @staticmethod
    def _kilobytes(folder: Path, name: str) -> int:
        lines = (folder / "status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def counts(relationship: Relationship) -> list[int]:
    models: tuple[Any, ...] = (Message, ModelCall, ScratchpadEntry, EntryRevision)
    return [model.objects.for_relationship(relationship.id).count() for model in models]


def test_a_large_archive_is_imported_in_memory_that_its_size_bounds(live: LiveService) -> None:
    live.start_web()
    live.web.wait_until_it_answers("/healthz")
    here = live.new_relationships(1)[0]
    headers = {"Authorization": f"Bearer {live.new_api_key()}", "Content-Type": "application/json"}
    path = f"/v1/relationships/{here.id}"
    raw, turns = archive()
    with closing(httpx.Client(base_url=live.web.url, headers=headers, timeout=600)) as client:
        small = live.new_relationships(1)[
            0
        ]  # what is imported once, and any context after it, loads no more code
        client.post(f"/v1/relationships/{small.id}/import", content=b"".join(pieces(1))).raise_for_status()
        peak = Peak(live)

        imported = client.post(f"{path}/import", content=raw)

        assert imported.status_code == 200, imported.text
        assert counts(here) == [2 * turns, turns, ENTRIES, ENTRIES]
        print(f"{len(raw) / MEGABYTE:.1f} MB of {turns} turns: it grew by {peak.grown() / MEGABYTE:.1f} MB")
        assert peak.grown() < TIMES * len(raw) + ASIDE

        peak = Peak(live)
        with client.stream("GET", f"{path}/export?calls=true") as exported:
            size = sum(map(len, exported.iter_bytes()))
        assert size > len(raw)
        print(f"its export of {size / MEGABYTE:.1f} MB: by {peak.grown() / MEGABYTE:.1f} MB")
        assert peak.grown() < ASIDE
