"""What the service's processes take of the memory, and of a core while nobody wants anything."""

from functools import partial
from time import sleep

from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section
from benchmarks.timing import cpu_during, memory_of


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


def idle(setup: Setup) -> Section:
    """After the last turn was read: what the worker still looks for, and the web server beside it."""
    setup.service.start_worker()
    setup.service.settle(60)
    sleep(setup.scale.idle_seconds / 3)  # what its start takes is not of an idle worker
    _, used = cpu_during(setup.service.processes, partial(sleep, setup.scale.idle_seconds))
    figures = [
        Figure(
            f"{service}: of one core",
            100 * seconds / setup.scale.idle_seconds,
            "%",
            goal=Goal(1) if service == "worker" else None,
        )
        for service, seconds in used.items()
    ]
    how = f"Processor time in {setup.scale.idle_seconds} s in which nobody asked for anything."
    return Section("idle", "Nothing to do", how, figures)
