"""The measurements of `make bench`, in order. Each is a function from the setup to a section."""

from collections.abc import Callable

from benchmarks.measures.chat import chat
from benchmarks.measures.contexts import in_process, over_http
from benchmarks.measures.costs import strategies_cost
from benchmarks.measures.processes import idle, memory
from benchmarks.measures.setup import LONG, QUICK, SMOKE, Setup
from benchmarks.measures.talks import talks
from benchmarks.measures.turns import distant, ingestion, latency
from benchmarks.measures.workspaces import workspaces
from benchmarks.report import Section

__all__ = ["LONG", "MEASURES", "QUICK", "SMOKE", "Setup"]

_ALL: list[Callable[[Setup], Section]] = [
    *(in_process, talks, over_http, ingestion, distant, latency, memory, idle, strategies_cost),
    *(chat, workspaces),
]
MEASURES = {measure.__name__: measure for measure in _ALL}
