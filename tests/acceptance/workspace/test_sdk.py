"""The real anthropic SDK runs its loop of tools against a local server, with our files behind its memory tool."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from anthropic import Anthropic
from anthropic.lib.tools._beta_builtin_memory_tool import BetaAbstractMemoryTool

from tests.acceptance.service import LiveService
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
def model() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class OurMemory(BetaAbstractMemoryTool):
    """As a developer writes it: each command goes to POST .../file-tools."""

    def __init__(self, client: httpx.Client, here: str) -> None:
        super().__init__()
        self.client, self.here = client, here

    def view(self, command: Any) -> str:
        body = {"name": "memory", "input": command.model_dump(exclude_none=True)}
        return str(self.client.post(self.here, json=body).json()["result"])

    create = str_replace = insert = delete = rename = view


def test_the_sdks_memory_tool_works_on_our_files(live: LiveService, model: ThreadingHTTPServer) -> None:
    live.start_web()
    live.web.wait_until_it_answers()
    relationship, key = live.new_relationships(1)[0], live.new_api_key()
    url = f"http://127.0.0.1:{model.server_port}"
    with (
        httpx.Client(headers={"Authorization": f"Bearer {key}"}, trust_env=False) as client,
        Anthropic(api_key="k", base_url=url, max_retries=0) as anthropic,
    ):
        memory = OurMemory(client, f"{live.web.url}/v1/relationships/{relationship.id}/file-tools")
        runner = anthropic.beta.messages.tool_runner(
            model="m", max_tokens=100, tools=[memory], messages=[{"role": "user", "content": "Plan."}]
        )
        last = runner.until_done()

    assert last.content[0].text == "Done."  # type: ignore[union-attr]
    assert model.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]  # type: ignore[attr-defined]
    assert read_contents(relationship.id, "main")["plans/trip.md"] == b"- Lisbon\n- Faro\n"
    assert "does not exist" in json.dumps(model.asked[-1]["messages"][-1])  # type: ignore[attr-defined]
