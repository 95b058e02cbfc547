"""The measurements of `make bench`, each a function of the setup that gives a section. MEASURES is their order."""

from collections.abc import Callable

from benchmarks.measures import chat, contexts, costs, processes, talks, tenants, turns, workspaces
from benchmarks.measures.setup import LONG, QUICK, SMOKE, Setup
from benchmarks.report import Section

__all__ = ["LONG", "MEASURES", "QUICK", "SMOKE", "Setup"]

MEASURES: dict[str, Callable[[Setup], Section]] = {
    "in_process": contexts.in_process,
    "talks": talks.talks,
    "over_http": contexts.over_http,
    "ingestion": turns.ingestion,
    "distant": turns.distant,
    "latency": turns.latency,
    "memory": processes.memory,
    "idle": processes.idle,
    "waiting": contexts.waiting,
    "strategies_cost": costs.strategies_cost,
    "chat": chat.chat,
    "workspaces": workspaces.workspaces,
    "tenants": tenants.tenants,
}
