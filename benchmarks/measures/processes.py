"""Memory of the service's processes, and their CPU time while nothing is asked of them."""

from functools import partial
from time import sleep

from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section
from benchmarks.timing import cpu_during, memory_of


def memory(setup: Setup) -> Section:
    """To be called after other measurements, when the processes are warm."""
    setup.service.start_worker()
    figures = [
        Figure(f"{service}: {len(processes)} processes", memory_of(processes), "MB")
        for service, processes in setup.service.processes().items()
    ]
    return Section(
        "Memory", "Of each service's processes together; each shared page counts once (PSS).", figures
    )


def idle(setup: Setup) -> Section:
    setup.service.start_worker()
    setup.service.settle(60)
    seconds = setup.scale.idle_seconds
    sleep(seconds / 3)  # so that the worker's start is not counted
    _, used = cpu_during(setup.service.processes, partial(sleep, seconds))
    goals = {"worker": Goal(1)}
    figures = [
        Figure(f"{service}: of one core", 100 * taken / seconds, "%", goals.get(service))
        for service, taken in used.items()
    ]
    return Section("Nothing to do", f"CPU in {seconds:g} s in which nobody asked for anything.", figures)
