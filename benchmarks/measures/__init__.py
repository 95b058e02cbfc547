"""One measurement a file, each a function `measure(scene)` that gives a Section. MEASURES is their order."""

from collections.abc import Callable

from benchmarks.figures import Section
from benchmarks.measures import (
    in_process,
    ingestion,
    latency,
    memory,
    over_http,
    probes,
    strategies_cost,
    waiting,
)
from benchmarks.scene import Scene

MEASURES: dict[str, Callable[[Scene], Section]] = {
    "in_process": in_process.measure,
    "over_http": over_http.measure,
    "ingestion": ingestion.measure,
    "latency": latency.measure,
    "probes": probes.measure,
    "memory": memory.measure,
    "waiting": waiting.measure,
    "strategies_cost": strategies_cost.measure,
}
