"""`manage.py import_conversation` with a worker beside it, on conversations of several hundred turns."""

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from relationships.models import Message, Relationship, Turn
from tests.acceptance.processes import ROOT, environment
from tests.acceptance.service import LiveService
from tests.waiting import PATIENCE

LOCOMO = Path(os.environ.get("RAPPORT_DATA") or ROOT.parent / "shared" / "data") / "locomo"
LONGEST_SECONDS = 120 * PATIENCE


def import_file(live: LiveService, file: Path) -> str:
    command = ["manage.py", "import_conversation", str(file), "--companion", "bo", "--user", "ann"]
    done = subprocess.run(
        [sys.executable, *command, "--project", str(live.project.id)],
        cwd=ROOT,
        env=environment(live.database, **live.settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def long_talk(sessions: int, exchanges: int) -> dict[str, object]:
    conversation: dict[str, object] = {"speaker_a": "Ann", "speaker_b": "Bo"}
    for number in range(1, sessions + 1):
        conversation[f"session_{number}_date_time"] = f"1:56 pm on {number} May, 2023"
        conversation[f"session_{number}"] = [
            {"speaker": speaker, "text": f"{speaker} says line {line} of day {number}."}
            for line in range(exchanges)
            for speaker in ("Ann", "Bo")
        ]
    conversation["session_1"] = [{"speaker": "Ann", "text": "I moved to Porto last week."}]
    return {"conversation": conversation}


def states(relationship: Relationship) -> Counter[str]:
    return Counter(Turn.objects.for_relationship(relationship.id).values_list("state", flat=True))


def test_a_long_conversation_is_read_by_the_worker_to_the_end_and_is_there_once(
    live_service: LiveService, tmp_path: Path
) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(long_talk(sessions=20, exchanges=16)))

    out = import_file(live_service, file)

    relationship = Relationship.objects.get(project=live_service.project)
    assert states(relationship) == {"applied": 305}
    assert "No worker is running" not in out
    assert "305 turns are new." in out
    assert "1 entry is now remembered." in out
    days = (
        Message.objects.for_relationship(relationship.id)
        .order_by("seq")
        .values_list("occurred_at", flat=True)
    )
    assert list(days) == sorted(days)
    assert {day.day for day in days} == set(range(1, 21))
    assert "0 turns are new, 305 were there already." in import_file(live_service, file)
    assert states(relationship) == {"applied": 305}


@pytest.mark.skipif(
    not LOCOMO.is_dir(), reason=f"LoCoMo is not in {LOCOMO}; RAPPORT_DATA names another folder"
)
def test_a_real_conversation_is_imported_to_the_end(live: LiveService) -> None:
    began = time.monotonic()
    out = import_file(live, LOCOMO / "conv-43.json")

    assert time.monotonic() - began < LONGEST_SECONDS
    found = re.search(r"^(\d+) turns are new\.$", out, re.MULTILINE)
    assert found
    assert int(found[1]) > 300
    read = states(Relationship.objects.get())
    assert read.total() == int(found[1])
    assert set(read) <= {"applied", "skipped"}  # a turn of good-byes
    assert read["skipped"] < 5
