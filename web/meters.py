"""Counters for /metrics. Each server process counts in files that all processes of its group read."""

import os
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import CollectorRegistry, disable_created_metrics, values
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

disable_created_metrics()  # type: ignore[no-untyped-call]
OWN = CollectorRegistry()


def count_in(folder: Path) -> None:
    """Let this process and its forks count in files of that folder. Call it before importing anything that counts."""
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]  # was chosen at its import


def process_metrics() -> Iterable[Metric]:
    """The counters of all processes of this server group; outside a server, of this process."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return list(OWN.collect())
    for file in Path(folder).glob("gauge_livesum_*.db"):
        process = int(file.stem.rpartition("_")[2])
        if not Path(f"/proc/{process}").exists() and Path("/proc").exists():
            mark_process_dead(process, folder)  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
    return list(registry.collect())
