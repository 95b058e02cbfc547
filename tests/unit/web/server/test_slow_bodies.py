"""What the gateway says to a body that does not come."""

import asyncio

import pytest

from tests.unit.web.server.test_gateway import LIMITS, Client, Site, refusal
from web.server.gateway import Gateway


def test_a_body_that_does_not_arrive_in_its_time_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.server.body.SECONDS", 0.05)
    client = Client(Gateway(Site(), limits=LIMITS, refusal=refusal))

    status, told = asyncio.run(client.ask("/", b"half", silent=True, length=8))

    assert (status, told.partition(b":")[0]) == (408, b"too_slow")
