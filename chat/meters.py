"""What /metrics tells of replies."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter, Gauge

from web.meters import OWN

_OPEN = Gauge(
    "rapport_chat_open", "Replies that are being made now.", registry=OWN, multiprocess_mode="livesum"
)
_REPLIES = Counter("rapport_chat_replies", "Replies that were begun.", registry=OWN)
_INTERRUPTED = Counter("rapport_chat_interrupted", "Replies that broke off.", registry=OWN)


@contextmanager
def reply() -> Iterator[None]:
    """While a reply is made."""
    _REPLIES.inc()
    _OPEN.inc()
    try:
        yield
    finally:
        _OPEN.dec()


def interrupted() -> None:
    _INTERRUPTED.inc()
