"""Determine the client of a request, as far as that is possible before a thread runs it."""

from ipaddress import IPv6Network, ip_address

from web.server.admission import Client

CLIENT = "rapport.client"  # in a request's environ: the Client to whom its key belongs
_PROBES = frozenset(("/healthz", "/readyz", "/readyz/worker", "/metrics"))
_KNOWN_LIMIT = 10_000


class Clients:
    """Remembers the client of each key. A key that was not verified yet counts for its IP address."""

    def __init__(self, *, proxies: int) -> None:
        self._proxies = proxies
        self._proved: dict[str, Client] = {}

    def name(self, path: str, *, key: str, remote: str, forwarded: str) -> Client:
        """The client of a request. Probes of each kind are a client of their own, so that they wait in no line."""
        probe = is_probe(path)
        proved = self._proved.get(key) if key and not probe else None
        if proved:
            return proved
        place = address_beyond_proxies(remote, forwarded, proxies=self._proxies) or "unknown address"
        return Client(f"{path} {place}" if probe else place)

    def learn(self, key: str, client: Client | None) -> None:
        """Note that a key was verified, or (without a client) refused."""
        if not key or self._proved.get(key) == client:
            return
        if client is None:
            self._proved.pop(key, None)
            return
        if len(self._proved) >= _KNOWN_LIMIT:
            self._proved.clear()  # each is learnt again by its next request
        self._proved[key] = client


def is_probe(path: str) -> bool:
    return path in _PROBES


def address_beyond_proxies(remote: str, forwarded: str, *, proxies: int) -> str | None:
    """The address beyond our `proxies`, each of which adds one to X-Forwarded-For; None if it isn't an IP address.

    For IPv6 the first address of the /64 network, as one host may have every address in it.
    """
    told = remote
    if proxies:
        hops = [hop.strip() for hop in forwarded.split(",")]
        told = hops[-proxies] if len(hops) >= proxies else told
    try:
        known = ip_address(told)
    except ValueError:
        return None  # for example behind a Unix socket
    if known.version == 4:
        return str(known)
    return str(known.ipv4_mapped or IPv6Network((known, 64), strict=False).network_address)
