"""What the service's processes take of the memory, and how soon its probes answer."""

from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Section, of_rounds
from benchmarks.timing import memory_of

PATHS = ("/healthz", "/readyz", "/readyz/worker", "/metrics")
REQUESTS = 100


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


def probes(setup: Setup) -> Section:
    """What a load balancer and a scraper ask, one request after the other."""
    setup.service.start_worker()
    figures: list[Figure] = []
    for path in PATHS:
        request = setup.client.request("GET", path)
        rounds = [
            setup.client.drive([request], connections=1, count=REQUESTS).require(200)
            for _ in range(setup.scale.rounds)
        ]
        figures += [
            of_rounds(f"{path}, p50", [answers.p50 for answers in rounds], "ms"),
            of_rounds(f"{path}, p99", [answers.p99 for answers in rounds], "ms"),
        ]
    how = f"One connection, {setup.scale.rounds} rounds of {REQUESTS} requests; the worker is up and idle."
    return Section("probes", "Probes", how, figures)
