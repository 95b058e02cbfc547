"""What the service's processes take of the memory."""

from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Section
from benchmarks.timing import memory_of


def memory(setup: Setup) -> Section:
    """After all the work before, with the worker's processes warm too."""
    setup.service.start_worker()
    figures: list[Figure] = []
    for service, processes in setup.service.processes().items():
        used = [memory_of(process) for process in processes]
        figures += [
            Figure(f"{service}: processes", len(used)),
            Figure(f"{service}: largest resident set", max(one.rss for one in used), "MB"),
            Figure(f"{service}: in all, shared pages split", sum(one.pss for one in used), "MB"),
        ]
    how = "Resident sets count shared pages in every process; the sum counts each page once (PSS)."
    return Section("memory", "Memory", how, figures)
