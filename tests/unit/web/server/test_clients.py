import asyncio

import pytest

from tests.unit.web.server.test_gateway import LIMITS, Site, inside, refusal, run
from tests.unit.web.server.test_gateway import Client as Asking
from web.server.admission import Client
from web.server.clients import Clients, address_beyond_proxies
from web.server.gateway import Gateway


def name(clients: Clients, key: str = "", *, remote: str = "192.0.2.1", path: str = "/v1/users") -> str:
    return clients.name(path, key=key, remote=remote, forwarded="").name


def test_a_key_counts_for_its_address_until_it_is_proved_and_then_for_its_project() -> None:
    clients = Clients(proxies=0)
    assert name(clients, "Bearer one") == "192.0.2.1"

    clients.learn("Bearer one", Client("project"))
    clients.learn("Bearer two", Client("project"))

    assert name(clients, "Bearer one") == name(clients, "Bearer two", remote="192.0.2.2") == "project"
    assert name(clients, "Bearer another") == "192.0.2.1"


def test_a_key_that_is_refused_counts_for_its_address_again() -> None:
    clients = Clients(proxies=0)
    clients.learn("Bearer one", Client("project"))

    clients.learn("Bearer one", None)

    assert name(clients, "Bearer one") == "192.0.2.1"


def test_what_is_known_does_not_grow_for_ever() -> None:
    clients = Clients(proxies=0)

    for number in range(20_001):
        clients.learn(f"Bearer {number}", Client("project"))

    assert len(clients._proved) <= 10_000


def test_probes_are_in_nobody_s_line_but_that_of_who_sends_the_same() -> None:
    clients = Clients(proxies=0)
    lines = {name(clients, path=path) for path in ("/healthz", "/readyz", "/v1/users")}

    assert len(lines) == 3
    assert name(clients, path="/healthz") != name(clients, path="/healthz", remote="192.0.2.2")


def test_all_addresses_of_one_ipv6_network_are_one_client() -> None:
    clients = Clients(proxies=0)

    assert name(clients, remote="2001:db8::1") == name(clients, remote="2001:db8::ffff:1:2:3")
    assert name(clients, remote="2001:db8::1") != name(clients, remote="2001:db8:0:1::1")


def test_an_ipv4_address_written_as_ipv6_is_a_client_of_its_own() -> None:
    clients = Clients(proxies=0)

    assert name(clients, remote="::ffff:192.0.2.1") == name(clients, remote="192.0.2.1")
    assert name(clients, remote="::ffff:192.0.2.2") != name(clients, remote="192.0.2.1")


def test_a_client_behind_a_unix_socket_has_a_name_too() -> None:
    assert name(Clients(proxies=0), remote="") == "unknown address"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "198.51.100.1", "192.0.2.1"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        (2, "203.0.113.9, 198.51.100.1", "203.0.113.9"),
        (2, "198.51.100.1", "192.0.2.1"),
        (1, "not an address", None),
    ],
)
def test_the_address_beyond_so_many_proxies_counts(proxies: int, forwarded: str, address: str | None) -> None:
    assert address_beyond_proxies("192.0.2.1", forwarded, proxies=proxies) == address


def test_streams_count_for_the_client_whose_key_it_is_though_nobody_knew_it_before() -> None:
    site = Site()
    client = Asking(Gateway(site, limits=LIMITS, refusal=refusal))

    async def main() -> int:
        leave = asyncio.Event()
        asked = [asyncio.ensure_future(client.ask("/events", leave=leave, key="one")) for _ in range(2)]
        await inside(site, 2)
        asked.append(asyncio.ensure_future(client.ask("/events", leave=leave, key="two")))
        await inside(site, 3)
        leave.set()
        *_, (status, _) = await asyncio.gather(*asked)
        return status

    assert run(main()) == 200
