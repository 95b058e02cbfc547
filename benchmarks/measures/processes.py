"""What the service's processes take of the memory, and of a core while nobody wants anything."""

from functools import partial
from time import sleep

from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section
from benchmarks.timing import cpu_during, memory_of


def memory(setup: Setup) -> Section:
    """After all the work before, with the worker's processes warm too."""
    setup.service.start_worker()
    figures = [
        Figure(f"{service}: {len(processes)} processes", memory_of(processes), "MB")
        for service, processes in setup.service.processes().items()
    ]
    return Section(
        "Memory", "Of each service's processes together; each shared page counts once (PSS).", figures
    )


def idle(setup: Setup) -> Section:
    """After the last turn was read: what the worker still looks for, and the web server beside it."""
    setup.service.start_worker()
    setup.service.settle(60)
    seconds = setup.scale.idle_seconds
    sleep(seconds / 3)  # what its start takes is not of an idle worker
    _, used = cpu_during(setup.service.processes, partial(sleep, seconds))
    goals = {"worker": Goal(1)}
    figures = [
        Figure(f"{service}: of one core", 100 * taken / seconds, "%", goals.get(service))
        for service, taken in used.items()
    ]
    return Section("Nothing to do", f"CPU in {seconds:g} s in which nobody asked for anything.", figures)
