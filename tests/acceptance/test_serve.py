"""`manage.py serve`: the whole service from one command."""

import json
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.acceptance.processes import LiveProcess, environment, free_port, status_of
from tests.acceptance.service import LiveService
from tests.waiting import wait_until


class Serve(LiveProcess):
    def __init__(self, service: LiveService, folder: Path, *, port: int) -> None:
        self.note = folder / "data" / "serve.json"
        self.url = f"http://127.0.0.1:{port}"
        env = environment(service.database, **service.settings, RAPPORT_WEB_PROCESSES="1")
        command = [sys.executable, "manage.py", "serve", "--port", str(port)]
        super().__init__("service", command, env, folder / f"serve-{port}.log")
        service.processes.append(self)

    def wait_until_ready(self) -> None:
        wait_until(self.is_ready, timeout=60, what="the service")

    def is_ready(self) -> bool:
        self.require_running()
        return self.note.exists() and status_of(f"{self.url}/readyz/worker") == 200

    def part(self, word: str) -> psutil.Process | None:
        """The child whose command line says so."""
        children = psutil.Process(self.pid).children()
        for child in children:
            with suppress(psutil.NoSuchProcess):  # it has just ended
                if word in child.cmdline():
                    return child
        return None


def test_without_its_database_it_says_so_in_one_sentence(live: LiveService, tmp_path: Path) -> None:
    live.settings["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/rapport"

    lost = Serve(live, tmp_path, port=free_port())

    assert lost.wait() != 0
    assert "The database can't be used: " in lost.log
    assert "Traceback" not in lost.log


def events(serve: Serve, name: str) -> list[dict[str, Any]]:
    """The log's lines with this event."""
    lines = [json.loads(line) for line in serve.log.splitlines() if line.startswith("{")]
    return [line for line in lines if line.get("event_name") == name]


@pytest.fixture
def serve(live: LiveService, tmp_path: Path) -> Serve:
    live.settings["RAPPORT_LOG_STYLE"] = "json"
    started = Serve(live, tmp_path, port=free_port())
    started.wait_until_ready()
    return started


def test_it_says_where_it_is_starts_killed_parts_again_and_ends_with_all_of_them(
    live: LiveService, serve: Serve, tmp_path: Path
) -> None:
    turn = live.say(live.new_relationships(1)[0], "I like tea.")
    assert live.wait_until_settled([turn]) in (["applied"], ["skipped"])
    assert json.loads(serve.note.read_text()) == {"pid": serve.pid, "url": serve.url}
    (started,) = events(serve, "serve.started")
    assert started["url"] == serve.url
    assert "Rapport is at" not in serve.log, "each line is JSON"

    second = Serve(live, tmp_path, port=int(serve.url.rsplit(":", 1)[1]))
    assert second.wait() != 0
    assert f"Rapport is already running, at {serve.url}" in second.log
    assert serve.running

    before = {part: serve.part(part) for part in ("worker", "web")}
    for process in before.values():
        assert process is not None
        process.kill()
    for part, killed in before.items():
        wait_until(
            lambda: (again := serve.part(part)) is not None and again != killed,  # noqa: B023
            timeout=30,
            what=f"another {part}",
        )
    assert {line["process"] for line in events(serve, "serve.process.ended")} >= {"worker", "web server"}
    wait_until(serve.is_ready, timeout=60, what="readiness")
    family = serve.family()

    serve.send(signal.SIGINT)

    assert serve.wait() == 0
    assert not serve.note.exists()
    wait_until(lambda: not any(map(psutil.Process.is_running, family)), what="every process to be gone")


def test_contexts_have_the_processor_before_all_else_and_with_it_killed_its_parts_do_not_stay_behind(
    serve: Serve,
) -> None:
    """Where all want it. Replies are of the second group here, whose clients wait for a model anyway."""
    usual = psutil.Process().nice()
    family = serve.family()
    servers = {process.nice() for process in family if process.name() == "rapport-web"}
    readers = {process.nice() for process in family if process.name() == "rapport-reader"}

    assert servers == {usual, 19}
    assert readers == {min(usual + 10, 19)}

    serve.kill()

    wait_until(
        lambda: not any(map(psutil.Process.is_running, family)), timeout=30, what="every process to be gone"
    )
