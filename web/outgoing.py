"""Calls to URLs from developers: webhooks and tools.

Such a URL may point into the operator's own network. So its host is resolved here, and the IP address that was checked
is called, whatever the name resolves to meanwhile. Redirects are not followed and no proxy is used.
"""

import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

import httpcore2
from django.conf import settings

from config import tracing
from web import deadline

LARGEST_ANSWER = 1_000_000  # bytes
FRAMING = ("content-length", "transfer-encoding")  # headers that a call writes itself
_SCHEMES = ("http", "https")
# Python calls them global, but clouds give a machine its credentials there (Oracle, Azure), or they lead to a private
# network: site-local addresses (RFC 3879), a gateway's own NAT64 (RFC 8215), segment routing (RFC 9602).
_CLOUDS = ("192.0.0.0/24", "168.63.129.16/32")
_NOT_PUBLIC = [ip_network(net) for net in (*_CLOUDS, "fec0::/10", "64:ff9b:1::/48", "5f00::/16")]
# Networks with an IPv4 address in the last 32 bits: IPv4-compatible, IPv4-translated, NAT64 (RFC 6052).
_HOLD_IPV4 = [IPv6Network(net) for net in ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96")]


class OutgoingError(Exception):
    """The call brought no answer; the message says why. `refused`: it was not made, as the URL is not allowed."""

    code = "no_answer"

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused


class OutgoingTimeout(OutgoingError):
    """The answer did not come in time."""


class HostCertificateRefused(OutgoingError):
    """The host's certificate is expired, of another name, or signed by nobody whom this machine trusts."""

    code = "certificate_refused"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer. `truncated`: the body was longer than the limit and was cut."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    truncated: bool
    seconds: float


def call(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    seconds: float = 10.0,
    largest: int = LARGEST_ANSWER,
) -> Answer:
    """Make one call that takes at most `seconds`, and read at most `largest` bytes of the answer's body. `headers` of
    FRAMING are left out.

    Raises OutgoingError if the address is not public (see RAPPORT_ALLOW_PRIVATE_ADDRESSES), or there is no connection
    or no answer in time.
    """
    with tracing.calling(method, {"http.request.method": method}):
        parent = tracing.traceparent()
        traced = {**(headers or {}), **({"traceparent": parent} if parent else {})}
        answer = _call(method, url, traced, body, seconds, largest)
        tracing.note({"http.response.status_code": answer.status})
        return answer


def _call(
    method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float, largest: int
) -> Answer:
    started = time.monotonic()
    backend = _PublicBackend(httpcore2.SyncBackend())
    try:
        with deadline.deadline(seconds), httpcore2.ConnectionPool(network_backend=backend) as pool:
            given = [
                (name.lower().encode(), value.encode())
                for name, value in headers.items()
                if name.lower() not in FRAMING
            ]
            sent = [(b"accept-encoding", b"identity"), *given]
            with pool.stream(method, _url(url), headers=sent, content=body) as response:
                kept, truncated = _read(response.iter_stream(), largest)
                told = {
                    name.decode("latin-1").lower(): value.decode("latin-1")
                    for name, value in response.headers
                }
                return Answer(response.status, told, kept, truncated, time.monotonic() - started)
    except httpcore2.TimeoutException:
        raise OutgoingTimeout(f"No whole answer within {seconds:g} seconds.") from None
    except httpcore2.LocalProtocolError:  # it quotes what can't be sent, which may be a secret
        raise OutgoingError("The call failed: it has a header that can't be sent.") from None
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        if refused := refused_certificate(error):
            why = refused.verify_message.rstrip(".")
            raise HostCertificateRefused(f"The host's certificate is not accepted: {why}.") from None
        why = str(error).rstrip(".") or type(error).__name__
        raise OutgoingError(f"The call failed: {why}.") from None


def refused_certificate(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """What an HTTP client's error comes from, if that is the server's certificate."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error


def refuse_address(url: str) -> None:
    """Check a URL as far as possible without a name server. Raises OutgoingError."""
    host = _url(url).host.decode("ascii").strip("[]")
    try:
        number = ip_address(host)
    except ValueError:
        if host == "localhost" or host.endswith(".localhost"):
            _refuse_private(host, ip_address("127.0.0.1"))
    else:
        _refuse_private(host, number)


def _url(url: str) -> httpcore2.URL:
    try:
        parsed = httpcore2.URL(url)
    except (ValueError, UnicodeError, TypeError):
        raise OutgoingError("The address can't be read.", refused=True) from None
    if parsed.scheme.decode("ascii", "replace") not in _SCHEMES or not parsed.host:
        raise OutgoingError("The address must begin with http:// or https:// and name a host.", refused=True)
    return parsed


def _refuse_private(host: str, number: IPv4Address | IPv6Address) -> None:
    if settings.ALLOW_PRIVATE_ADDRESSES:
        return
    inner = _inner(number)
    is_public = all(one.is_global and not one.is_multicast for one in (number, inner))
    if not is_public or any(one in network for one in (number, inner) for network in _NOT_PUBLIC):
        raise OutgoingError(
            f"{host} is an address of a private network. Call a public one, or set RAPPORT_ALLOW_PRIVATE_ADDRESSES=1.",
            refused=True,
        )


def _inner(number: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that a gateway would translate it to, if any."""
    if isinstance(number, IPv4Address):
        return number
    if any(number in network for network in _HOLD_IPV4):
        return IPv4Address(int(number) & 0xFFFFFFFF)
    return number.ipv4_mapped or number.sixtofour or number


def _read(parts: Iterable[bytes], largest: int) -> tuple[bytes, bool]:
    kept = bytearray()
    for part in parts:
        kept += part
        if len(kept) > largest:
            return bytes(kept[:largest]), True
    return bytes(kept), False


class _PublicBackend(deadline.DeadlineBackend):
    """Connects to public addresses only."""

    def connect_tcp(self, host: str, port: int, *args: Any, **how: Any) -> httpcore2.NetworkStream:
        return super().connect_tcp(_resolve(host, port), port, *args, **how)


def _resolve(host: str, port: int) -> str:
    """The first of the host's IP addresses. All of them must be public. Raises OutgoingError."""
    try:
        found = _ask_name_server(host.strip("[]"), port)
    except (OSError, UnicodeError):
        raise OutgoingError(f"{host} is not known to the name server.") from None
    numbers = [str(address[0]) for *_, address in found]
    for number in numbers:
        _refuse_private(host, ip_address(number.partition("%")[0]))
    return numbers[0]


def _ask_name_server(host: str, port: int) -> list[Any]:
    """Like `getaddrinfo`, but not beyond the deadline: a slow name server takes half a minute, and may be the
    developer's own. Raises ConnectTimeout, OSError, UnicodeError.
    """
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=ask, name="name server", daemon=True).start()
    left = deadline.seconds_left()
    try:
        found = answers.get(timeout=None if left is None else max(0.0, left))
    except queue.Empty:
        raise httpcore2.ConnectTimeout("The name server has not answered.") from None
    if isinstance(found, Exception):
        raise found
    return list(found)
