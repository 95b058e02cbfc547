"""Contexts: in process, compared with SELECT 1; over HTTP, compared with a view that does nothing."""

from functools import partial

from benchmarks.client import Answers
from benchmarks.measures.setup import ROUNDS, Compared, Setup, beside_select_one
from benchmarks.report import Figure, Goal, Section, of_ratios, of_rounds
from benchmarks.seed import analyze
from benchmarks.timing import alternate, cpu_during
from context.facts import read_facts
from context.pipeline import build_context
from relationships.models import DEFAULT_SESSION

CONNECTIONS = (1, 8, 32)
TAIL_AT = 8  # connections at which the p99 has a goal
Slice = tuple[Answers, dict[str, float]]  # a load, and the CPU seconds of each service during it


def in_process(setup: Setup) -> Section:
    analyze()
    sample, times = setup.relationship, setup.scale.calls // ROUNDS
    project, person = sample.project_id, sample.id

    def facts() -> None:
        read_facts(project_id=project, relationship_id=person, session=DEFAULT_SESSION)

    def context() -> None:
        build_context(project_id=project, relationship_id=person, message="What should I cook for tea?")

    calls: dict[str, Compared] = {
        "read_facts()": (facts, None, Goal(5)),
        "build_context()": (context, Goal(0.6), Goal(15)),
    }
    how = f"They take turns on one connection, {ROUNDS} rounds of {times} calls each."
    return Section("A context in process", how, beside_select_one(calls, times=times))


def over_http(setup: Setup) -> Section:
    requests = setup.client.request("GET", "/v1/bench/ok"), setup.context_request()
    for request in requests:  # to open every thread's connection and prepare its statements
        _slice(setup, request, max(CONNECTIONS))
    figures: list[Figure] = []
    for connections in CONNECTIONS:
        slices = [partial(_slice, setup, request, connections) for request in requests]
        figures += _figures(connections, *alternate(*slices, rounds=setup.scale.rounds))
    return Section(
        "A context over HTTP",
        "POST /context of the sample through the production server, beside an authenticated APIView that returns "
        f"'ok'; they take turns, {setup.scale.rounds} slices of {setup.scale.slice_seconds:g} s each. "
        "The client's CPU is its share of one core.",
        figures,
    )


def _slice(setup: Setup, request: str, connections: int) -> Slice:
    seconds = setup.scale.slice_seconds
    load = partial(setup.client.drive, [request], connections=connections, seconds=seconds)
    answers, used = cpu_during(setup.service.processes, load)
    return answers.require(200), used


def _figures(connections: int, ok: list[Slice], context: list[Slice]) -> list[Figure]:
    ours, theirs = [answers for answers, _ in context], [answers for answers, _ in ok]
    rates, ok_rates = [one.per_second for one in ours], [one.per_second for one in theirs]
    clients = [100 * answers.cpu_seconds / answers.seconds for answers in (*theirs, *ours)]
    tail = Goal(5) if connections == TAIL_AT else None
    at = f"{connections} connection{'s' if connections > 1 else ''}: "
    requests = sum(len(answers.milliseconds) for answers in ours)
    cpu = {
        service: 1000 * sum(used[service] for _, used in context) / requests
        for service in ("web", "database")
    }
    return [
        of_rounds(f"{at}'ok'", ok_rates, "requests/s"),
        of_rounds(f"{at}/context", rates, "requests/s"),
        of_ratios(f"{at}/context / 'ok'", rates, ok_rates, Goal(1 / 3, at_most=False)),
        of_rounds(f"{at}/context, p50", [answers.p50 for answers in ours], "ms"),
        of_rounds(f"{at}/context, p99", [answers.p99 for answers in ours], "ms"),
        of_rounds(f"{at}/context, p99 / p50", [answers.p99 / answers.p50 for answers in ours], "x", tail),
        Figure(f"{at}/context, the web server's CPU", cpu["web"], "ms a request"),
        Figure(f"{at}/context, the database's CPU", cpu["database"], "ms a request"),
        of_rounds(f"{at}the client's CPU", clients, "%"),
    ]
