"""The metrics of replies."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter, Gauge

from web.meters import OWN

_OPEN = Gauge("rapport_chat_open", "Replies in progress.", registry=OWN, multiprocess_mode="livesum")
_REPLIES = Counter("rapport_chat_replies", "Replies started.", registry=OWN)
_INTERRUPTED = Counter("rapport_chat_interrupted", "Replies interrupted.", registry=OWN)


@contextmanager
def reply() -> Iterator[None]:
    """Count a reply, and count it as open meanwhile."""
    _REPLIES.inc()
    _OPEN.inc()
    try:
        yield
    finally:
        _OPEN.dec()


def interrupted() -> None:
    _INTERRUPTED.inc()
