"""Many entries at once: as many requests as they need, and one count of places for all of them."""

import asyncio
import json
from typing import Any

import pytest
from rapport_client import AsyncRapport, Invalid, Rapport
from rapport_client.relationship import AsyncRelationship, Relationship

from tests.unit.clients.server import Server, Told

LONG: list[Any] = [{"type": "other", "content": f"{n}", "metadata": {"a": "é" * 6000}} for n in range(200)]
REFUSED = {
    "detail": "entries.5.content: is empty",
    "errors": [{"field": "entries.5.content", "detail": "is empty"}],
}


def written(number: int) -> Told:
    return Told(201, {"items": [{"id": str(n)} for n in range(number)]})


def told_in_async(url: str) -> list[Any]:
    async def add() -> list[Any]:
        async with AsyncRapport(url, "rk_x") as client:
            return list(await AsyncRelationship(client, "r").add_all(LONG))

    return asyncio.run(add())


def told(url: str) -> list[Any]:
    with Rapport(url, "rk_x") as client:
        return list(Relationship(client, "r").add_all(LONG))


@pytest.mark.parametrize("add_all", [told, told_in_async])
def test_long_entries_are_sent_in_bodies_that_the_service_takes(add_all: Any) -> None:
    with Server(written(82), written(82), written(36)) as server:
        assert len(add_all(server.url)) == 200
    assert max(len(asked.body) for asked in server.asked) < 1_048_576
    sent = [entry for asked in server.asked for entry in json.loads(asked.body)["entries"]]
    assert sent == LONG


@pytest.mark.parametrize("add_all", [told, told_in_async])
def test_what_is_refused_is_named_by_its_place_among_all(add_all: Any) -> None:
    with Server(written(82), Told(422, REFUSED)) as server, pytest.raises(Invalid) as refused:
        add_all(server.url)
    assert refused.value.errors == [{"field": "entries.87.content", "detail": "is empty"}]
    assert str(refused.value) == "422 entries.87.content: is empty"
