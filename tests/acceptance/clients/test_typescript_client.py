"""The TypeScript client: packed as for npm, installed from that, and run by Node's own tests against the real service."""

import re
import shutil
from pathlib import Path

from rapport_client import Rapport

from tests.acceptance.clients.conftest import Door
from tests.acceptance.processes import ROOT
from tests.environments import TYPESCRIPT, node, node_with, typescript_client
from tests.vendor_servers.openai_server import OpenAIServer

VERCEL = TYPESCRIPT / "examples/vercel_memory.mjs"


def test_its_own_tests_pass_against_the_real_service(door: Door) -> None:
    """Built with all of TypeScript's strictness, beside the Vercel AI SDK."""
    folder = node_with(typescript_client())
    tests = [Path(shutil.copy(file, folder)).name for file in (TYPESCRIPT / "test").glob("*.test.mjs")]
    told = door.run(node(), "--test", "--test-force-exit", "--test-reporter=tap", *tests, folder=folder)
    assert "# fail 0" in told
    assert "# skipped 0" in told


def test_the_guides_program_runs_as_it_stands_and_has_the_right_types(door: Door) -> None:
    page = (ROOT / "docs/how-to/use-the-clients.md").read_text()
    (program,) = re.findall(r"```ts\n(.+?)```", page, re.DOTALL)
    folder = node_with(typescript_client())
    mine = program.replace("http://127.0.0.1:8000", door.url).replace("rk_...", door.key)
    (folder / "guide.ts").write_text(mine)
    assert mine != program
    assert "Lives in Lisbon" in door.run(node(), "guide.ts", folder=folder)
    compiler = folder.parent / "node_modules/typescript/bin/tsc"
    strictly = ("--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2022")
    door.run(node(), compiler, *strictly, "guide.ts", folder=folder)


def test_the_example_of_the_vercel_ai_sdk_runs_is_short_and_is_the_guides(
    door: Door, rapport: Rapport, standing_model: OpenAIServer
) -> None:
    standing_model.clear()
    standing_model.push({"text": "Rice with greens."}, {"text": "Soup, if you like."})
    folder = node_with(typescript_client())
    file = shutil.copy(VERCEL, folder)
    told = door.run(node(), file, folder=folder, MODEL_URL=f"{standing_model.url}", MODEL_KEY="k")

    assert told == "Rice with greens.\nSoup, if you like."
    systems = [asked.body["messages"][0] for asked in standing_model.requests]
    assert [one["role"] for one in systems] == ["system", "system"]
    assert all("peanuts" in one["content"] for one in systems)
    maya = rapport.relationship(companion="ada", user="maya")
    said = {message["content"] for message in rapport.items(rapport.messages_list, maya.id)}
    assert {"What should I cook tonight?", "Soup, if you like."} <= said
    example = VERCEL.read_text()
    assert len(example.splitlines()) <= 30
    assert f"```js\n{example}```" in (ROOT / "docs/how-to/use-an-agent-framework.md").read_text()
