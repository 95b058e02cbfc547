"""How long the reply waits, how many turns per second are remembered, and what a turn asks of the model."""

from collections import Counter, defaultdict
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from benchmarks.peers.hosted.host import Call
from benchmarks.peers.scenario import Better, Lab, Line, line_of
from benchmarks.peers.stories import Words, book_of, plain_facts, turn_of
from benchmarks.peers.systems import System
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say
from benchmarks.timing import cpu_during, p50, p95

PEOPLE = 32
KNOWN = 20  # memories of each
_SETTLE_SECONDS = 180.0
# (system, how it fetches, the least ratio of mem0's p50 to its own, with one client and a model without latency)
_FETCH_GOALS = [
    ("rapport", "recipe scratchpad over HTTP", 5),
    ("rapport-retrieval", "with retrieval (recipe two_call) over HTTP", 1),
]
# (end of a line's name, the system to compare with, goal)
_GOALS = [
    ("remembered", "mem0", Goal(2, at_most=False)),
    ("CPU a turn", "mem0", Goal(0.67)),
    ("prompt tokens a turn", "mem0", Goal(0.25)),
    ("hand over, model 0 ms, 1 client, p50", "baseline", Goal(2)),
    ("hand over, model 0 ms, 16 clients, p50", "baseline", Goal(2)),
]


class Case(NamedTuple):
    """`latency`: milliseconds of the model; `calls`: in a round, fewer if they take longer."""

    verb: str
    latency: int
    clients: int
    calls: int

    @property
    def name(self) -> str:
        at_once = "1 client" if self.clients == 1 else f"{self.clients} clients"
        return f"{self.verb.replace('_', ' ')}, model {self.latency} ms, {at_once}"


class Round(NamedTuple):
    """`seconds`: until everything was remembered; `cpu`: seconds of the system's processes and the database."""

    milliseconds: list[float]
    seconds: float
    asked: Counter[str]
    cpu: float

    def each(self, count: float) -> float:
        return count / len(self.milliseconds)


CASES = (
    FETCH := Case("fetch", 0, 1, 100),
    Case("fetch", 0, 16, 320),
    HAND_OVER := Case("hand_over", 0, 1, 24),
    Case("hand_over", 0, 16, 128),
    Case("hand_over", 300, 1, 20),
    Case("hand_over", 300, 16, 32),
)
Made = dict[Case, dict[str, list[Round]]]  # by system


def waits(lab: Lab) -> Section:
    made: Made = {case: defaultdict(list) for case in CASES}
    words = Words("waits")
    with lab.all_running() as systems:
        lab.load(systems, _known("asked", words))
        for number in range(lab.rounds + 1):  # the first one is to warm up
            lab.model.slow_down(0)
            lab.load(systems, _known(f"told-{number}", words))
            for case in CASES:
                calls = _calls(lab, case, f"told-{number}", words)
                lab.model.slow_down(case.latency)
                for system in list(systems):
                    say(f"waits: round {number} of {lab.rounds}, {case.name}, {system.name}")
                    with lab.noting(system.name, systems):
                        found = _round(lab, system, case, calls)
                        made[case][system.name] += [found] if number else []
    lines = [*(line for case in CASES for line in _times(case, made)), *_asked(made)]
    how = (
        f"{PEOPLE} people with {KNOWN} memories each. Handing over: one turn of two messages. Fetching: what the model "
        "would be shown, up to 20 memories. Timed around the HTTP call, or the library's. Each call of the model "
        f"server takes the given milliseconds. {lab.rounds} rounds after one to warm up, the systems in turn, case by "
        "case. What a turn asks of the model is counted with one client, each turn of another person."
    )
    faster = "fetch: times as fast as mem0's search, "
    fetches = [
        Figure(faster + how_fetched, lines[0].ratio("mem0", system), "x", Goal(bound, at_most=False))
        for system, how_fetched, bound in _FETCH_GOALS
    ]
    goals = [
        Figure(f"{line.name}, beside {other}'s", line.ratio("rapport", other), "x", goal)
        for line in lines
        for end, other, goal in _GOALS
        if line.name.endswith(end)
    ]
    return lab.section("What the reply waits for", how, lines, [*fetches, *goals])


def _known(group: str, words: Words) -> dict[str, list[str]]:
    """Memories of a group of people, by user."""
    return {
        f"{group}-{number}": [told.says[0] for told in plain_facts(KNOWN, words)] for number in range(PEOPLE)
    }


def _calls(lab: Lab, case: Case, group: str, words: Words) -> list[Call]:
    """Calls of one person after the other, which the model is taught to answer. Each question is unique."""
    facts = plain_facts(lab.of(case.calls, at_least=2 * case.clients), words)
    if case.verb == "hand_over":
        lab.model.teach(book_of(facts))
        return [
            Call(case.verb, f"{group}-{place % PEOPLE}", turn_of(told)) for place, told in enumerate(facts)
        ]
    questions = [f"{told.question} ({told.says[0].split()[-1]})" for told in facts]
    lab.model.warm(questions)
    return [Call(case.verb, f"asked-{place % PEOPLE}", asked) for place, asked in enumerate(questions)]


def _round(lab: Lab, system: System, case: Case, calls: list[Call]) -> Round:
    """Make the calls, and wait until everything is remembered. Raises RuntimeError if a call fails."""

    def work() -> tuple[list[float], float]:
        began = perf_counter()
        timed = system.time(calls, case.clients)
        if timed.failures:
            told = f"{len(timed.failures)} of {len(calls)} calls failed, such as: {timed.failures[0]}"
            raise RuntimeError(told)
        if case.verb == "hand_over":
            system.settle(_SETTLE_SECONDS)
        return timed.milliseconds, perf_counter() - began

    lab.model.reset()
    (milliseconds, seconds), used = cpu_during(system.processes, work)
    return Round(milliseconds, seconds, lab.model.counts(system.name), sum(used.values()))


def _times(case: Case, made: Made) -> list[Line]:
    def line(name: str, unit: str, of: Callable[[Round], float], better: Better = "less") -> Line:
        rounds = {system: [of(one) for one in each] for system, each in made[case].items()}
        return Line(f"{case.name}, {name}", unit, rounds, better)

    lines = [
        line("p50", "ms", lambda one: p50(one.milliseconds)),
        line("p95", "ms", lambda one: p95(one.milliseconds)),
    ]
    if case.verb == "hand_over" and case.clients > 1:
        lines += [
            line("remembered", "turns/s", lambda one: 1 / one.each(one.seconds), "more"),
            line("CPU a turn", "ms", lambda one: one.each(1000 * one.cpu)),
        ]
    return lines


def _asked(made: Made) -> list[Line]:
    """What a fetch, and a turn that is read alone, ask of the model server."""

    def line(name: str, case: Case, what: str) -> Line:
        return line_of(made[case], name, lambda each: [one.each(one.asked[what]) for one in each])

    return [
        line("embedding calls a fetch", FETCH, "embedding_calls"),
        line("embedding calls a turn", HAND_OVER, "embedding_calls"),
        line("model calls a turn", HAND_OVER, "calls"),
        line("prompt tokens a turn", HAND_OVER, "prompt_tokens"),
    ]
