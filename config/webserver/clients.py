"""Whose request it is, as far as that can be known before a thread looks at it."""

from ipaddress import ip_address
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
        """The client of a request; probes of one kind are a client of their own, so that nobody's line holds them."""
        if path in _PROBES:
            return path
        project = self._projects.get(key) if key else None
        return (
            project or address_beyond_proxies(remote, forwarded, proxies=self._proxies) or "unknown address"
        )

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


def address_beyond_proxies(remote: str, forwarded: str, *, proxies: int) -> str | None:
    """The address beyond so many proxies of ours, each of which added one to X-Forwarded-For; None if it is none."""
    told = remote
    if proxies:
        hops = [hop.strip() for hop in forwarded.split(",")]
        told = hops[-proxies] if len(hops) >= proxies else told
    try:
        return str(ip_address(told))
    except ValueError:
        return None  # such as behind a Unix socket
