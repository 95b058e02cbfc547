"""What /metrics tells of replies. Each server process counts its own, in files that all of its group read."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

disable_created_metrics()  # type: ignore[no-untyped-call]
_OWN = CollectorRegistry()
_OPEN = Gauge(
    "rapport_chat_open", "Replies that are being made now.", registry=_OWN, multiprocess_mode="livesum"
)
_REPLIES = Counter("rapport_chat_replies", "Replies that were begun.", registry=_OWN)
_INTERRUPTED = Counter("rapport_chat_interrupted", "Replies that broke off.", registry=_OWN)


class Meter:
    def interrupted(self) -> None:
        _INTERRUPTED.inc()


@contextmanager
def reply() -> Iterator[Meter]:
    """While a reply is made."""
    _REPLIES.inc()
    _OPEN.inc()
    try:
        yield Meter()
    finally:
        _OPEN.dec()


def chat_metrics() -> Iterable[Metric]:
    """Of all processes of this group of servers; of this one alone where it is no server."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return list(_OWN.collect())
    for file in Path(folder).glob("gauge_livesum_*.db"):
        process = int(file.stem.rpartition("_")[2])
        if not Path(f"/proc/{process}").exists() and Path("/proc").exists():
            mark_process_dead(process, folder)  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
    return list(registry.collect())
