"""Whose request it is, as far as that can be known before a thread looks at it."""

from ipaddress import IPv6Network, ip_address
from threading import Lock

from web.server.admission import Client

CLIENT = "rapport.client"  # in a request's environ: the Client that its key turned out to be
_PROBES = frozenset(("/healthz", "/readyz", "/readyz/worker", "/metrics"))
_KNOWN_LIMIT = 10_000


class Clients:
    """Remembers whose each key is. A key nobody has proved yet counts for its address."""

    def __init__(self, *, proxies: int) -> None:
        self._proxies = proxies
        self._proved: dict[str, Client] = {}
        self._lock = Lock()

    def name(self, path: str, *, key: str, remote: str, forwarded: str) -> Client:
        """The client of a request; of an address its probes of one kind are another, so that no line holds them."""
        probe = is_probe(path)
        proved = self._proved.get(key) if key and not probe else None
        if proved:
            return proved
        place = address_beyond_proxies(remote, forwarded, proxies=self._proxies) or "unknown address"
        return Client(f"{path} {place}" if probe else place)

    def learn(self, key: str, client: Client | None) -> None:
        """The key was proved, or (without a client) refused."""
        if not key or self._proved.get(key) == client:
            return
        with self._lock:
            if client is None:
                self._proved.pop(key, None)
                return
            if len(self._proved) >= _KNOWN_LIMIT:
                self._proved.clear()  # each is learnt anew by its next request
            self._proved[key] = client


def is_probe(path: str) -> bool:
    return path in _PROBES


def address_beyond_proxies(remote: str, forwarded: str, *, proxies: int) -> str | None:
    """The address beyond so many proxies of ours, each of which added one to X-Forwarded-For; None if it is none.

    Of IPv6 the first address of the network, its first 64 bits: one host may have every address in it.
    """
    told = remote
    if proxies:
        hops = [hop.strip() for hop in forwarded.split(",")]
        told = hops[-proxies] if len(hops) >= proxies else told
    try:
        known = ip_address(told)
    except ValueError:
        return None  # such as behind a Unix socket
    if known.version == 4:
        return str(known)
    return str(known.ipv4_mapped or IPv6Network((known, 64), strict=False).network_address)
