"""`rapport tool call` sends what stands on its line."""

import json

import pytest
from rapport_client.cli import main

from tests.unit.clients.server import Server, Told


@pytest.fixture(autouse=True)
def _in_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_RELATIONSHIP", "7f000000-0000-7000-8000-000000000001")
    monkeypatch.setenv("RAPPORT_SESSION", "7f000000-0000-7000-8000-000000000002")


def test_a_call_that_a_person_approved_is_made_again_with_its_number() -> None:
    with Server(Told(body={"state": "waiting"}), Told(body={"state": "done"})) as server:
        asking = ["--url", server.url, "--key", "rt_k", "tool", "call", "pay", "eur=3"]
        assert (main(asking), main([*asking, "--approved", "1"])) == (1, 0)

    first, second = (json.loads(one.body) for one in server.asked)
    assert first == {"input": {"eur": 3}} and second == {"input": {"eur": 3}, "approved": 1}


def test_an_argument_without_a_name_is_named_and_nothing_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    with Server() as server:
        assert main(["--url", server.url, "--key", "rt_k", "tool", "call", "pay", "3"]) == 1

    assert capsys.readouterr().err == "rapport: '3' is not an argument: write name=value.\n"
    assert server.asked == []
