"""The disk of the embedded database is full: who hands something over is told so, whoever watches too, and it goes on."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.acceptance.drills.talk import require_each_applied_once_in_order
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(os.geteuid() != 0, reason="A disk of its own takes root."),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "own"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160M,mode=755", "tmpfs", folder], check=False
    )
    if mounted.returncode:
        pytest.skip("This machine lets nobody mount a disk.")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def own_live(disk: Path, own_live: LiveService) -> LiveService:
    return own_live


def test_turns_are_refused_as_long_as_it_is_full_and_readiness_says_why(
    drilled_alone: LiveService, model: OpenAIServer, disk: Path
) -> None:
    live = drilled_alone
    live.start_worker()
    web = live.start_web()
    live.wait_until_ready()
    (person,) = live.new_relationships(1)
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}

    with httpx.Client(base_url=web.url, headers=headers, timeout=30) as http:

        def say(number: int) -> httpx.Response:
            body = {"messages": [{"role": "user", "content": f"fact {number} {'and so on ' * 200}"}]}
            return http.post(f"/v1/relationships/{person.id}/turns", json=body)

        fill(disk / "filling")
        refused = next(answer for number in range(1000) if not (answer := say(number)).is_success)
        assert refused.json()["type"] == "urn:rapport:problem:database_full"
        assert "its disk is full" in http.get("/readyz/worker").text
        assert http.post(f"/v1/relationships/{person.id}/context", json={}).status_code == 200
        servers = web.family()
        chat = {"model": person.companion.slug, "user": "z", "messages": [{"role": "user", "content": "Hi"}]}
        assert http.post("/v1/chat/completions", json=chat).json()["error"]["code"] == "database_full"
        chat["user"] = person.user.external_id
        http.post("/v1/chat/completions", json=chat)
        assert web.family() == servers, "a process that counted a reply was killed"

        (disk / "filling").unlink()
        wait_until(lambda: say(1000).is_success, what="a turn to be taken")
        web.wait_until_it_answers("/readyz/worker")
    live.wait_until_settled(live.turns(person))
    require_each_applied_once_in_order(person)


def fill(file: Path) -> None:
    """Until nothing more goes in."""
    with pytest.raises(OSError, match="No space left"), file.open("wb", buffering=0) as target:
        while True:
            target.write(b"0" * 1_000_000)
