"""The six measures, a module each with one function: `measure(field) -> Finding`. MEASURES is their order."""

from collections.abc import Callable

from benchmarks.peers.field import Field
from benchmarks.peers.findings import Finding
from benchmarks.peers.measures import erasure, loss, tenants, truth, waits, writes

MEASURES: dict[str, Callable[[Field], Finding]] = {
    "waits": waits.measure,
    "writes": writes.measure,
    "tenants": tenants.measure,
    "truth": truth.measure,
    "loss": loss.measure,
    "erasure": erasure.measure,
}
