"""The measures, in order. Each is a function from the lab to a section."""

from collections.abc import Callable

from benchmarks.peers.measures.erasure import erasure
from benchmarks.peers.measures.evidence import evidence
from benchmarks.peers.measures.loss import loss
from benchmarks.peers.measures.tenants import tenants
from benchmarks.peers.measures.truth import truth
from benchmarks.peers.measures.waits import waits
from benchmarks.peers.scenario import Lab
from benchmarks.report import Section

_ALL: list[Callable[[Lab], Section]] = [waits, evidence, tenants, truth, loss, erasure]
MEASURES = {measure.__name__: measure for measure in _ALL}
BY_CLIENT = ["evidence", "tenants"]  # with mem0's own client
