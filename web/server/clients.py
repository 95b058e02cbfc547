"""Whose request it is, as far as that can be known before a thread looks at it."""

from ipaddress import IPv6Network, ip_address
from threading import Lock

PROJECT = "rapport.project"  # in a request's environ: the project its key turned out to belong to
_PROBES = frozenset(("/healthz", "/readyz", "/readyz/worker", "/metrics"))
_KNOWN_LIMIT = 10_000


class Clients:
    """Remembers which key belongs to which project. A key nobody has proved yet counts for its address."""

    def __init__(self, *, proxies: int) -> None:
        self._proxies = proxies
        self._projects: dict[str, str] = {}
        self._lock = Lock()

    def name(self, path: str, *, key: str, remote: str, forwarded: str) -> str:
        """The client of a request; of an address its probes of one kind are another, so that no line holds them."""
        probe = is_probe(path)
        project = self._projects.get(key) if key and not probe else None
        if project:
            return project
        place = address_beyond_proxies(remote, forwarded, proxies=self._proxies) or "unknown address"
        return f"{path} {place}" if probe else place

    def learn(self, key: str, project: str | None) -> None:
        """The key was proved, or (without a project) refused."""
        if not key or self._projects.get(key) == project:
            return
        with self._lock:
            if project is None:
                self._projects.pop(key, None)
                return
            if len(self._projects) >= _KNOWN_LIMIT:
                self._projects.clear()  # each is learnt anew by its next request
            self._projects[key] = project


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
