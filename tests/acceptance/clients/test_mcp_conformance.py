"""Programs of the Model Context Protocol's own project against /mcp of the real service."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rapport_client import Rapport

from tests.acceptance.clients.conftest import Door
from tests.acceptance.clients.forwarder import Forwarder
from tests.acceptance.processes import ROOT
from tests.acceptance.service import LiveService
from tests.environments import NPM, node, node_with, sdist

MCP_SDIST = "8b147a50441cf059dc88c684e0aeed3687f0aa0f39c6cde7b90330effd2b34d8"


# What checks the transport and the protocol's frame: it asks for no tool of its own.
OURS = {
    "2025-11-25": "server-initialize ping tools-list resources-list prompts-list dns-rebinding-protection",
    "2026-07-28": "tools-list resources-list prompts-list dns-rebinding-protection caching sep-2164-resource-not-found "
    "input-required-result-unsupported-methods",
}


def conform(address: str, *words: str, folder: Path) -> str:
    """The suite's report. A check that fails, or is expected to and passes, fails here."""
    program = node_with() / "node_modules/.bin/conformance"
    command = [str(node()), str(program), "server", "--url", address, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, cwd=folder)
    summary = done.stdout.partition("=== SUMMARY ===")[2] or done.stdout
    assert done.returncode == 0, summary[-8000:] + done.stderr[-2000:]
    return summary


@pytest.fixture
def address(door: Door, rapport: Rapport) -> Iterator[str]:
    maya = rapport.relationship(companion="ada", user="maya")
    maya.add("Likes green tea.", type="preference")
    with Forwarder(door.url, door.key) as forwarder:
        yield f"{forwarder.url}/mcp/relationships/{maya.id}"


@pytest.mark.parametrize("revision", OURS)
def test_our_own_server_passes_every_check_that_needs_no_tool_of_the_suite(
    address: str, revision: str, tmp_path: Path
) -> None:
    for scenario in OURS[revision].split():
        conform(address, "--spec-version", revision, "--scenario", scenario, folder=tmp_path)


def test_behind_our_view_the_official_fixture_server_passes_all_but_those_with_a_reason(
    live: LiveService, tmp_path: Path
) -> None:
    """mcp_expected_failures_*.yml has them, each with its reason. One that passes meanwhile fails here, too."""
    source = sdist("mcp", "2.3.0", MCP_SDIST) / "examples/servers/everything-server"
    settings = "tests.acceptance.clients.everything.settings"
    web = live.start_web(DJANGO_SETTINGS_MODULE=settings, EVERYTHING_SERVER=str(source))
    web.wait_until_it_answers()
    with Forwarder(web.url, live.new_api_key()) as forwarder:
        for revision in OURS:
            expected = Path(__file__).with_name(f"mcp_expected_failures_{revision}.yml")
            words = ["--requirements", revision, "--expected-failures", str(expected)]
            print(conform(f"{forwarder.url}/mcp", *words, folder=tmp_path))


def test_the_inspector_lists_and_calls_every_tool(door: Door, rapport: Rapport) -> None:
    maya = rapport.relationship(companion="ada", user="maya")
    program = node_with() / "node_modules/.bin/mcp-inspector"

    def inspect(*words: str) -> Any:
        url = f"{door.url}/mcp/relationships/{maya.id}"
        key = f"Authorization: Bearer {door.key}"
        return json.loads(
            door.run(node(), program, "--cli", url, "--transport", "http", "--header", key, *words)
        )

    def use(tool: str, **arguments: str) -> Any:
        named = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={value}")]
        answer = inspect("--method", "tools/call", "--tool-name", tool, *named)
        assert answer.get("isError") is not True, answer
        return answer["structuredContent"]

    tools = {tool["name"] for tool in inspect("--method", "tools/list")["tools"]}
    entry = use("remember", content="Likes green tea.", type="preference")["entry"]["id"]
    wish = {"what": "green tea", "to": "Likes black tea."}
    called = {
        "get_context": use("get_context", message="What should I drink?")["context"],
        "recall": use("recall", query="tea")["items"],
        "search": use("search", query="tea")["results"],
        "fetch": use("fetch", id=entry)["text"],
        "correct": use("correct", **wish, plan_id=use("correct", **wish)["plan"]["id"])["changed"],
        "history": use("history", entry_id=entry)["items"],
        "forget": use("forget", what="tea", plan_id=use("forget", what="tea")["plan"]["id"])["forgotten"],
    }
    assert {*called, "remember"} == tools
    assert all(called.values())
    assert maya.entries() == []


@pytest.mark.parametrize("place", [0, 1], ids=["Claude Code", "Claude Desktop"])
def test_the_settings_of_the_guide_connect_a_client(
    door: Door, rapport: Rapport, place: int, tmp_path: Path
) -> None:
    """As they stand there, but for the address, the key and where npx has the program from."""
    maya = rapport.relationship(companion="ada", user="maya")
    maya.add("Likes green tea.", type="preference")
    page = (ROOT / "docs/how-to/connect-an-assistant-by-mcp.md").read_text()
    settings = re.findall(r"```json\n(.*?)```", page, re.DOTALL)[place]
    for told, mine in {"http://127.0.0.1:8000": door.url, "/ID": f"/{maya.id}", "rk_...": door.key}.items():
        assert told in settings
        settings = settings.replace(told, mine)
    (server,) = (asked := json.loads(settings))["mcpServers"].values()
    if "command" in server:
        assert [server["command"], *server["args"][:2]] == ["npx", "-y", f"mcp-remote@{NPM['mcp-remote']}"]
        server |= {
            "command": str(node()),
            "args": [str(node_with() / "node_modules/mcp-remote/dist/proxy.js"), *server["args"][2:]],
        }
        server["env"] |= {"HOME": str(tmp_path)}
    (tmp_path / "mcp.json").write_text(json.dumps(asked))
    inspector: list[str | Path] = [node(), node_with() / "node_modules/.bin/mcp-inspector", "--cli"]
    inspector += ["--config", tmp_path / "mcp.json", "--server", "rapport"]
    words = ["--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=tea"]

    answer = json.loads(door.run(*inspector, *words, folder=tmp_path))

    assert [item["content"] for item in answer["structuredContent"]["items"]] == ["Likes green tea."]
