"""The measures, in order. Each is a function from the lab to a section."""

from collections.abc import Callable

from benchmarks.peers.measures.erasure import erasure
from benchmarks.peers.measures.loss import loss
from benchmarks.peers.measures.tenants import tenants
from benchmarks.peers.measures.truth import truth
from benchmarks.peers.measures.waits import waits
from benchmarks.peers.scenario import Lab
from benchmarks.report import Section

_ALL: list[Callable[[Lab], Section]] = [waits, tenants, truth, loss, erasure]
MEASURES = {measure.__name__: measure for measure in _ALL}
