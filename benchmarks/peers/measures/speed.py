"""What the reply waits for, and the write path: milliseconds, turns a second, and what a turn costs."""

from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import product
from time import perf_counter, sleep

from benchmarks.peers.asking import KNOWN, PEOPLE, book_of, fetches, hand_overs, known, person
from benchmarks.peers.facts import Counts
from benchmarks.peers.scenario import Lab, Line, section_of
from benchmarks.peers.systems import DIMENSIONS, Call, System
from benchmarks.report import Figure, Goal, Section
from benchmarks.service import postgres
from benchmarks.timing import cpu_seconds, p50, percentile

CLIENTS = (1, 16)
LATENCIES = (0, 300)
# Calls a round and client count: with a model that is far away, fewer say as much.
_CALLS = {
    "fetch": {(0, 1): 100, (0, 16): 320, (300, 1): 6, (300, 16): 48},
    "hand_over": {(0, 1): 24, (0, 16): 64, (300, 1): 4, (300, 16): 32},
}
_TAIL_FROM = 20  # calls a round; where there are fewer, a p95 is that of all rounds together
_WARM_UP_SHARE = 0.25
_MANY, _TURNS = 16, 128  # clients, and turns a round
_ALONE = 12  # a round, one by one: what a turn costs when no other is waiting
_IN_A_ROW = 4  # of them by one person, so that there is an earlier conversation
_FAR, _TURNS_FAR = 300, 32  # a model that takes so many milliseconds, and the turns a round it is asked about
_IDLE_SECONDS = 3.0
_SETTLE_SECONDS = 180.0
_TOKENS = "prompt tokens a turn"
_WHY = {
    "fetch": "Rapport is asked over HTTP, and looks up the key; the others are called as libraries.",
    "hand_over": "Rapport stores the turn, its messages and what is owed of them before it answers, over HTTP.",
}
_MORE_KEPT = (
    "Rapport keeps more of a turn: messages, prompt and answer, a revision of every change, the snapshot. A model that "
    "answers at once is worth no more readers than cores, and there are four."
)
_ASKS_NOBODY = "The baseline asks no model, and understands nothing."
_FEW_READERS = (
    "Rapport's worker reads four relationships at a time (RAPPORT_WORKERS=4, its default), the others 16."
)
_WAITS_REMARKS = [
    "Rapport answers a hand-over when the turn is stored, and remembers it afterwards; mem0 and LangMem ask the model "
    "meanwhile. Both can be called from a queue of one's own: then a reply waits for neither, and what a crash leaves "
    "unread is gone (see Loss).",
    "With the recipe scratchpad a fetch embeds nothing and searches nothing: it reads one row. All others embed the "
    "question first, so they wait for the model server once; so does Rapport with retrieval, for 0.8 s at the most: "
    "after that it finds by words alone, and says so.",
    "A library is called where the caller runs; Rapport over HTTP pays for the request, about a millisecond, for which "
    "it can be shared by programs in any language.",
]
_WRITES_REMARKS = [
    "Waiting turns of one person become one model call in Rapport: where turns come faster than they are read, it "
    "makes fewer calls than there are turns.",
    "Rapport's and LangMem's prompts grow with the memories that they show; mem0's is fixed instructions for the most "
    "part. The recipe two_call asks the model twice where something is said.",
]


@dataclass(frozen=True, slots=True)
class Case:
    verb: str
    latency: int
    clients: int

    @property
    def name(self) -> str:
        at_once = "1 client" if self.clients == 1 else f"{self.clients} clients"
        return f"{self.verb.replace('_', ' ')}, model {self.latency} ms, {at_once}"

    @property
    def calls(self) -> int:
        return _CALLS[self.verb][self.latency, self.clients]

    def p95(self, rounds: list[list[float]]) -> list[float]:
        pooled = rounds if self.calls >= _TAIL_FROM else [[one for times in rounds for one in times]]
        return [percentile(times, 0.95) for times in pooled]


CASES = [Case(*case) for case in product(("fetch", "hand_over"), LATENCIES, CLIENTS)]
Taken = dict[str, list[list[float]]]  # by system: the milliseconds of each round


def waits(lab: Lab) -> Section:
    taken: dict[Case, Taken] = {case: defaultdict(list) for case in CASES}
    embedded: Taken = defaultdict(list)
    with ExitStack() as stack:
        systems = lab.start_all(stack)
        for system in systems:
            system.load(known("asked"))
        said = 0
        for number in range(lab.rounds + 1):  # the first warms everything up
            group = f"told-{number}"
            for system in systems:
                system.load(known(group))
            for case in CASES:
                share = lab.share if number else _WARM_UP_SHARE * lab.share
                count = max(2 * case.clients, round(case.calls * share))
                calls = (
                    fetches("asked", count, start=said)
                    if case.verb == "fetch"
                    else hand_overs(group, count, start=said)
                )
                said += count
                lab.model.slow_down(case.latency)
                lab.model.teach(book_of(calls) if case.verb == "hand_over" else {})
                lab.model.warm([call.question for call in calls if call.question], DIMENSIONS)
                for system in list(systems):
                    lab.say(f"waits: round {number} of {lab.rounds}, {case.name}, {system.name}")
                    before = len(lab.remarks)
                    with lab.noting(system.name):
                        lab.model.reset()
                        timed = lab.timed(system, calls, clients=case.clients)
                        if case.verb == "hand_over":
                            system.settle(_SETTLE_SECONDS)
                        if number:
                            taken[case][system.name].append(timed.milliseconds)
                            asked = lab.model.counts(system.name).embedding_calls / count
                            embedded[system.name] += [[asked]] if case == CASES[0] else []
                    if len(lab.remarks) > before:
                        systems.remove(system)  # it is left out from then on
        lab.model.slow_down(0)
    lines = [line for case in CASES for line in _case_lines(case, taken[case])]
    fetched = {name: [one for (one,) in rounds] for name, rounds in embedded.items()}
    lines.append(Line("embedding calls a fetch", "", fetched, None))
    how = (
        f"{PEOPLE} people with {KNOWN} memories each. Handing over: one turn of two messages. Fetching: what the model "
        "would be shown for the next reply, up to 20 memories. Timed where the caller stands: around the HTTP call, or "
        "around the library's. Each call to the model server, for text or for vectors, takes the milliseconds that are "
        f"said. {lab.rounds} rounds after one to warm up; in each, every system in turn, case by case."
    )
    goals = [
        _faster(lines[0], "rapport", "recipe scratchpad over HTTP", 5),
        _faster(lines[0], "rapport-retrieval", "with retrieval (recipe two_call) over HTTP", 1),
    ]
    return section_of(lab, "waits", "What the reply waits for", how, lines, goals, _WAITS_REMARKS)


def _case_lines(case: Case, taken: Taken) -> list[Line]:
    of_all = "" if case.calls >= _TAIL_FROM else ", all rounds together"
    middles = {name: list(map(p50, rounds)) for name, rounds in taken.items()}
    tails = {name: case.p95(rounds) for name, rounds in taken.items()}
    why = _WHY[case.verb]
    return [
        Line(f"{case.name}, p50", "ms", middles, why=why),
        Line(f"{case.name}, p95{of_all}", "ms", tails, why=why),
    ]


def _faster(fetch: Line, system: str, how: str, bound: float) -> Figure:
    """mem0's search in terms of ours, p50 at one client and a model without latency, pair by pair."""
    name = f"fetch: times as fast as mem0's search, {how}"
    return Figure(name, fetch.ratio("mem0", system), "x", goal=Goal(bound, at_most=False))


@dataclass
class Costs:
    """One value a round. `alone`: of turns that came one by one."""

    per_second: list[float] = field(default_factory=list)
    per_second_far: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    under_load: list[Counts] = field(default_factory=list)
    alone: list[Counts] = field(default_factory=list)


def writes(lab: Lab) -> Section:
    costs: dict[str, Costs] = defaultdict(Costs)
    turns, alone = lab.of(_TURNS, at_least=_MANY), lab.of(_ALONE, at_least=_IN_A_ROW)
    far = lab.of(_TURNS_FAR, at_least=_MANY)
    said = 1_000_000  # not what another measure says
    with ExitStack() as stack:
        systems = lab.start_all(stack)
        idle = _idle_database()
        for number in range(lab.rounds + 1):  # the first warms everything up
            group = f"told-{number}"
            for system in list(systems):
                lab.say(f"writes: round {number} of {lab.rounds}, {system.name}")
                cost, before = costs[system.name] if number else Costs(), len(lab.remarks)
                with lab.noting(system.name):
                    system.load(known(group))
                    _one_by_one(lab, system, cost, _in_a_row(group, alone, said))
                    _at_once(lab, system, cost, hand_overs(group, turns, start=said + alone), idle)
                    _far(lab, system, cost, hand_overs(group, far, start=said + alone + turns))
                if len(lab.remarks) > before:
                    systems.remove(system)  # it is left out from then on
            said += alone + turns + far
    lines = _cost_lines(costs, turns, alone)
    share = next(line for line in lines if line.name == _TOKENS).ratio("rapport", "mem0")
    how = (
        f"{PEOPLE} people with {KNOWN} memories each. {turns} turns are handed over by {_MANY} clients at once, a "
        "model without latency; the time runs until the last of them is remembered. What a turn asks of the model is "
        f"counted over {alone} turns one by one, {_IN_A_ROW} of one person in a row, each with one new fact: then none "
        "shares a call with another. CPU is that of the system's own processes, the database's apart and without what "
        f"it takes when nobody asks anything. With a model of {_FAR} ms, {far} turns of {_MANY} clients. "
        f"{lab.rounds} rounds after one to warm up."
    )
    goal = Figure("a turn's prompt, as a share of mem0's tokens (recipe scratchpad)", share, goal=Goal(0.25))
    return section_of(lab, "writes", "The write path", how, lines, [goal], _WRITES_REMARKS)


def _idle_database() -> float:
    """Seconds of CPU a second that the database takes while everybody runs and nobody asks anything."""
    cpu, began = _database_cpu(), perf_counter()
    sleep(_IDLE_SECONDS)
    return (_database_cpu() - cpu) / (perf_counter() - began)


def _database_cpu() -> float:
    """Seconds of the whole server, of connections that were closed too."""
    processes = postgres()
    ended = processes[0].cpu_times()
    return ended.children_user + ended.children_system + cpu_seconds(processes)


def _in_a_row(group: str, count: int, start: int) -> list[Call]:
    calls = hand_overs(group, count, start=start)
    return [replace(call, user=person(group, place // _IN_A_ROW)) for place, call in enumerate(calls)]


def _one_by_one(lab: Lab, system: System, cost: Costs, calls: list[Call]) -> None:
    lab.model.teach(book_of(calls))
    lab.model.reset()
    for call in calls:
        system.hand_over(call.user, call.messages)
        system.settle(_SETTLE_SECONDS)
    cost.alone.append(lab.model.counts(system.name))


def _at_once(lab: Lab, system: System, cost: Costs, calls: list[Call], idle: float) -> None:
    lab.model.teach(book_of(calls))
    lab.model.reset()
    cpu, database = cpu_seconds(system.processes()), _database_cpu()
    seconds = _remembered(lab, system, calls)
    cost.per_second.append(len(calls) / seconds)
    cost.cpu.append(1000 * (cpu_seconds(system.processes()) - cpu) / len(calls))
    used = _database_cpu() - database - idle * seconds
    cost.database.append(1000 * max(used, 0.0) / len(calls))
    cost.under_load.append(lab.model.counts(system.name))


def _far(lab: Lab, system: System, cost: Costs, calls: list[Call]) -> None:
    lab.model.teach(book_of(calls))
    lab.model.slow_down(_FAR)
    try:
        cost.per_second_far.append(len(calls) / _remembered(lab, system, calls))
    finally:
        lab.model.slow_down(0)


def _remembered(lab: Lab, system: System, calls: list[Call]) -> float:
    """The seconds until the last of the calls is remembered."""
    began = perf_counter()
    lab.timed(system, calls, clients=_MANY)
    system.settle(_SETTLE_SECONDS)
    return perf_counter() - began


def _cost_lines(costs: dict[str, Costs], turns: int, alone: int) -> list[Line]:
    def line(
        name: str, of: Callable[[Costs], list[float]], why: str = "", unit: str = "", more: bool = False
    ) -> Line:
        values = {system: of(cost) for system, cost in costs.items()}
        return Line(name, unit, values, "more" if more else "less", why)

    def of_one(what: str) -> Callable[[Costs], list[float]]:
        """A turn's share of what was counted, turns coming one by one."""
        return lambda cost: [getattr(count, what) / alone for count in cost.alone]

    def loaded(cost: Costs) -> list[float]:
        return [count.calls / turns for count in cost.under_load]

    far = f"turns a second, remembered, model {_FAR} ms"
    return [
        line("turns a second, remembered", lambda cost: cost.per_second, _MORE_KEPT, more=True),
        line(far, lambda cost: cost.per_second_far, _FEW_READERS, more=True),
        line("model calls a turn", of_one("calls"), _ASKS_NOBODY),
        line(_TOKENS, of_one("prompt_tokens"), _ASKS_NOBODY),
        line("embedding calls a turn", of_one("embedding_calls")),
        line(f"model calls a turn, {_MANY} clients", loaded, _ASKS_NOBODY),
        line("CPU a turn, the system", lambda cost: cost.cpu, _MORE_KEPT, "ms"),
        line("CPU a turn, the database", lambda cost: cost.database, _MORE_KEPT, "ms"),
    ]
