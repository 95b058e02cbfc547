"""The real anthropic SDK runs its loop of tools against a local server, with our files behind its memory tool: the adapter's example."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.loopback import Loopback
from workspace.store import read_contents

COMMANDS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/trip.md", "file_text": "- Porto\n"},
    {"command": "insert", "path": "/memories/trip.md", "insert_line": 1, "insert_text": "- Faro"},
    {"command": "str_replace", "path": "/memories/trip.md", "old_str": "Porto", "new_str": "Lisbon"},
    {"command": "rename", "old_path": "/memories/trip.md", "new_path": "/memories/plans/trip.md"},
    {"command": "delete", "path": "/memories/none.md"},
]


class Model(BaseHTTPRequestHandler):
    """Speaks the Messages API: one command of the memory tool after the other, then an end."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)  # type: ignore[attr-defined]
        place = len(self.server.asked) - 1  # type: ignore[attr-defined]
        use = place < len(COMMANDS)
        block = (
            {"type": "tool_use", "id": f"toolu_{place}", "name": "memory", "input": COMMANDS[place]}
            if use
            else {"type": "text", "text": "Done."}
        )
        told = {
            "id": f"msg_{place}",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [block],
            "stop_reason": "tool_use" if use else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def model() -> Iterator[Loopback]:
    with Loopback(Model) as server:
        server.asked = []  # type: ignore[attr-defined]
        yield server


def test_the_example_of_the_adapter_keeps_what_claude_writes(
    live_service: LiveService, model: Loopback
) -> None:
    live = live_service
    relationship = live.new_relationships(1)[0]
    example = (ROOT / "clients/python/examples/anthropic_memory.py").read_text()
    assert len(example.splitlines()) <= 30
    settings = {
        "RAPPORT_URL": live.web.url,
        "RAPPORT_API_KEY": live.new_api_key(),
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": model.url,
        "PYTHONPATH": str(ROOT / "clients/python/src"),
    }
    told = subprocess.run(
        [sys.executable, "-c", example.replace('"maya"', repr(relationship.user.external_id))],
        env={**os.environ, **settings}, capture_output=True, text=True,
    )  # fmt: skip

    assert told.returncode == 0, told.stderr
    said, *files = told.stdout.splitlines()
    assert said == "Done."
    assert "plans/trip.md" in files
    assert model.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]  # type: ignore[attr-defined]
    assert read_contents(relationship.id, "main")["plans/trip.md"] == b"- Lisbon\n- Faro\n"
    assert "does not exist" in json.dumps(model.asked[-1]["messages"][-1])  # type: ignore[attr-defined]
