"""`rapport tool call` sends what stands on its line."""

import json

import pytest
from rapport_client.cli import main

from tests.unit.clients.server import Server, Told


def test_a_call_that_a_person_approved_is_made_again_with_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAPPORT_RELATIONSHIP", "7f000000-0000-7000-8000-000000000001")
    monkeypatch.setenv("RAPPORT_SESSION", "7f000000-0000-7000-8000-000000000002")
    with Server(Told(body={"state": "waiting"}), Told(body={"state": "done"})) as server:
        asking = ["--url", server.url, "--key", "rt_k", "tool", "call", "pay", "eur=3"]
        assert (main(asking), main([*asking, "--approved", "1"])) == (1, 0)

    first, second = (json.loads(one.body) for one in server.asked)
    assert first == {"input": {"eur": 3}} and second == {"input": {"eur": 3}, "approved": 1}
