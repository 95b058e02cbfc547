import asyncio
from collections.abc import Callable, Iterable
from time import thread_time
from typing import Any

import pytest

from tests.unit.web.server.test_gateway import LIMITS, Client, Site, inside, refusal, run
from web.server.computing import GIVES_WAY_SECONDS, LINES_UP_SECONDS, REMEMBERED_SECONDS, Computing, call_of
from web.server.gateway import Gateway

ONE = ("project", "GET /v1/one")


class BusySite(Site):
    """Computes for long at an address that ends with `/compute`."""

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        began = thread_time()
        while environ["PATH_INFO"].endswith("/compute") and thread_time() - began < 3 * LINES_UP_SECONDS:
            pass
        return super().__call__(environ, start_response)


@pytest.fixture
def clock() -> list[float]:
    return [1000.0]


@pytest.fixture
def computing(clock: list[float]) -> Computing:
    return Computing(clock=lambda: clock[0])


def test_what_computes_for_long_gives_way_and_for_very_long_lines_up(computing: Computing) -> None:
    computing.note(ONE, GIVES_WAY_SECONDS)
    assert not computing.gives_way(ONE)

    computing.note(ONE, LINES_UP_SECONDS)
    assert computing.gives_way(ONE) and not computing.lines_up(ONE)

    computing.note(ONE, 3 * LINES_UP_SECONDS)
    assert computing.lines_up(ONE)
    assert not computing.gives_way(("another project", ONE[1]))


def test_short_ones_in_between_hide_no_long_ones_until_half_a_minute_later(
    computing: Computing, clock: list[float]
) -> None:
    for _ in range(10):
        computing.note(ONE, 1.0)
        for _ in range(20):
            computing.note(ONE, 0.001)
        assert computing.lines_up(ONE)
    clock[0] += REMEMBERED_SECONDS - 1
    assert computing.lines_up(ONE)

    clock[0] += 1
    assert not computing.gives_way(ONE)
    computing.note(ONE, 3 * GIVES_WAY_SECONDS)
    assert computing.gives_way(ONE) and not computing.lines_up(ONE)


def test_a_single_long_one_among_many_short_ones_is_soon_forgotten(computing: Computing) -> None:
    computing.note(ONE, 1.5 * GIVES_WAY_SECONDS)
    assert not computing.gives_way(ONE)

    computing.note(ONE, 5 * GIVES_WAY_SECONDS)
    assert computing.gives_way(ONE)
    for _ in range(50):
        computing.note(ONE, 0.003)
    assert not computing.gives_way(ONE)
    for _ in range(50):
        computing.note(ONE, 0.003)
    assert not computing._known


def test_it_does_not_grow_without_end(computing: Computing) -> None:
    for number in range(25_000):
        computing.note(("project", str(number)), 1.0)

    assert len(computing._known) <= 10_000


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/v1/relationships/01a227f5-897d-718c-bc67-892ff1936132/profile", "/v1/relationships//profile"),
        (
            "/v1/relationships/01a227f5-897d-718c-bc67-892ff1936132/files/a/b.md",
            "/v1/relationships//files",
        ),
        ("/git/01a227f5897d718cbc67892ff1936132.git/git-upload-pack", "/git/.git/git-upload-pack"),
    ],
)
def test_calls_are_told_apart_without_ids_and_names(path: str, named: str) -> None:
    assert call_of("project", "PUT", path) == ("project", f"PUT {named}")


def test_calls_of_one_client_that_computed_for_long_lately_are_made_one_at_a_time() -> None:
    site = BusySite()
    client = Client(Gateway(site, limits=LIMITS, refusal=refusal))

    async def main() -> None:
        for key in ("one", "two"):
            await client.ask("/", key=key)
        await client.ask("/v1/texts/1/compare/compute", key="one")
        waiting = [client.ask(f"/v1/texts/1/compare/{number}/wait", key="one") for number in range(3)]
        asked = [asyncio.ensure_future(request) for request in waiting]
        await inside(site, 1)
        assert (await client.ask("/", key="one"))[0] == 200
        asked.append(asyncio.ensure_future(client.ask("/v1/texts/1/compare/wait", key="two")))
        await inside(site, 1)
        assert not site.inside.acquire(timeout=0.1)
        site.open.set()
        assert {status for status, _ in await asyncio.gather(*asked)} == {200}

    run(main())
