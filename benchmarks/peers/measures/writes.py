"""2. The write path: turns a second remembered, and what a turn costs in calls, tokens, vectors and CPU."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from dataclasses import field as values
from time import perf_counter, sleep

from benchmarks.peers.counts import Counts
from benchmarks.peers.field import Field
from benchmarks.peers.findings import Finding, Goal, Line
from benchmarks.peers.measures.asking import KNOWN, PEOPLE, book_of, hand_overs, known, person
from benchmarks.peers.measures.failing import in_words, noting, running
from benchmarks.peers.systems.base import Call, System
from benchmarks.peers.usage import cpu_of, database_cpu

CLIENTS = 16
_TURNS = 128  # a round, 16 at once
_ALONE = 12  # a round, one by one: what a turn costs when no other is waiting
_IN_A_ROW = 4  # of them by one person, so that there is an earlier conversation
_FAR, _TURNS_FAR = 300, 32  # a model that takes so many milliseconds, and the turns a round it is asked about
_IDLE_SECONDS = 3.0
_SETTLE_SECONDS = 180.0
_SHARE_OF_TOKENS = 0.25
_TOKENS = "prompt tokens a turn"
# Why another may be ahead.
_MORE_KEPT = (
    "Rapport keeps more of a turn: messages, prompt and answer, a revision of every change, the snapshot. A model that "
    "answers at once is worth no more readers than cores, and there are four."
)
_ASKS_NOBODY = "The baseline asks no model, and understands nothing."
_FEW_READERS = (
    "Rapport's worker reads four relationships at a time (RAPPORT_WORKERS=4, its default), the others 16."
)


@dataclass
class Costs:
    """One value a round. `alone`: of turns that came one by one."""

    per_second: list[float] = values(default_factory=list)
    per_second_far: list[float] = values(default_factory=list)
    cpu: list[float] = values(default_factory=list)
    database: list[float] = values(default_factory=list)
    under_load: list[Counts] = values(default_factory=list)
    alone: list[Counts] = values(default_factory=list)


def measure(field: Field) -> Finding:
    costs: dict[str, Costs] = {}
    failures: dict[str, str] = {}
    turns, alone = field.scale.of(_TURNS, at_least=CLIENTS), field.scale.of(_ALONE, at_least=_IN_A_ROW)
    far = field.scale.of(_TURNS_FAR, at_least=CLIENTS)
    said = 1_000_000  # not what another measure says
    with ExitStack() as stack:
        systems = [stack.enter_context(field.running(make)) for make in field.systems]
        idle = _idle_database(field)
        for number in range(field.scale.rounds + 1):  # the first warms everything up
            for system in running(systems, failures):
                field.say(f"writes: round {number} of {field.scale.rounds}, {system.name}")
                cost = Costs() if number == 0 else costs.setdefault(system.name, Costs())
                with noting(system, failures):
                    system.load(known(f"told-{number}"))
                    _one_by_one(field, system, cost, _in_a_row(f"told-{number}", alone, said))
                    _at_once(
                        field, system, cost, hand_overs(f"told-{number}", turns, start=said + alone), idle
                    )
                    _far(field, system, cost, hand_overs(f"told-{number}", far, start=said + alone + turns))
            said += alone + turns + far
    return _finding(field, costs, failures, turns, alone)


def _idle_database(field: Field) -> float:
    """Seconds of CPU a second that the database takes while everybody runs and nobody asks anything."""
    cpu, began = database_cpu(field.house.data_dir), perf_counter()
    sleep(_IDLE_SECONDS)
    return (database_cpu(field.house.data_dir) - cpu) / (perf_counter() - began)


def _in_a_row(group: str, count: int, start: int) -> list[Call]:
    calls = hand_overs(group, count, start=start)
    return [replace(call, user=person(group, place // _IN_A_ROW)) for place, call in enumerate(calls)]


def _one_by_one(field: Field, system: System, cost: Costs, calls: list[Call]) -> None:
    field.model.teach(book_of(calls))
    field.model.reset()
    for call in calls:
        system.hand_over(call.user, call.messages)
        system.settle(_SETTLE_SECONDS)
    cost.alone.append(field.model.counts(system.name))


def _at_once(field: Field, system: System, cost: Costs, calls: list[Call], idle: float) -> None:
    field.model.teach(book_of(calls))
    field.model.reset()
    cpu, database = cpu_of(system.processes()), database_cpu(field.house.data_dir)
    seconds = _remembered(system, calls)
    cost.per_second.append(len(calls) / seconds)
    cost.cpu.append(1000 * (cpu_of(system.processes()) - cpu) / len(calls))
    used = database_cpu(field.house.data_dir) - database - idle * seconds
    cost.database.append(1000 * max(used, 0.0) / len(calls))
    cost.under_load.append(field.model.counts(system.name))


def _far(field: Field, system: System, cost: Costs, calls: list[Call]) -> None:
    field.model.teach(book_of(calls))
    field.model.slow_down(_FAR)
    try:
        cost.per_second_far.append(len(calls) / _remembered(system, calls))
    finally:
        field.model.slow_down(0)


def _remembered(system: System, calls: list[Call]) -> float:
    """The seconds until the last of the calls is remembered. Raises RuntimeError when one fails."""
    began = perf_counter()
    timed = system.time(calls, clients=CLIENTS)
    if timed.failures:
        raise RuntimeError(
            f"{len(timed.failures)} of {len(calls)} calls failed, such as: {timed.failures[0]}"
        )
    system.settle(_SETTLE_SECONDS)
    return perf_counter() - began


def _finding(
    field: Field, costs: Mapping[str, Costs], failures: Mapping[str, str], turns: int, alone: int
) -> Finding:
    lines = _lines(costs, turns, alone)
    share = next(line for line in lines if line.name == _TOKENS).ratio("rapport", "mem0")
    return Finding(
        "writes",
        "The write path",
        f"{PEOPLE} people with {KNOWN} memories each. {turns} turns are handed over by {CLIENTS} clients at once, a "
        "model without latency; the time runs until the last of them is remembered. What a turn asks of the model is "
        f"counted over {alone} turns one by one, {_IN_A_ROW} of one person in a row, each with one new fact: then none "
        "shares a call with another. CPU is that of the system's own processes, the database's apart and without what "
        "it takes when nobody asks anything; the model server's is nobody's. "
        f"With a model of {_FAR} ms, {_TURNS_FAR} turns of {CLIENTS} clients. "
        f"{field.scale.rounds} rounds after one to warm up.",
        lines,
        [
            Goal(
                "a turn's prompt, as a share of mem0's tokens (recipe scratchpad)",
                share.middle if share else None,
                _SHARE_OF_TOKENS,
            )
        ],
        [*_remarks(), *in_words(failures)],
    )


def _lines(costs: Mapping[str, Costs], turns: int, alone: int) -> list[Line]:
    def line(name: str, unit: str, of: Callable[[Costs], list[float]], **more: str) -> Line:
        return Line(name, unit, {system: of(cost) for system, cost in costs.items()}, **more)  # type: ignore[arg-type]

    def of_one(pick: Callable[[Counts], int]) -> Callable[[Costs], list[float]]:
        """A turn's share of what was counted, turns coming one by one."""
        return lambda cost: [pick(count) / alone for count in cost.alone]

    speed: dict[str, str] = {"better": "more"}
    far = f"turns a second, remembered, model {_FAR} ms"
    return [
        line("turns a second, remembered", "", lambda cost: cost.per_second, why=_MORE_KEPT, **speed),
        line(far, "", lambda cost: cost.per_second_far, why=_FEW_READERS, **speed),
        line("model calls a turn", "", of_one(lambda count: count.calls), why=_ASKS_NOBODY),
        line(_TOKENS, "", of_one(lambda count: count.prompt_tokens), why=_ASKS_NOBODY),
        line("embedding calls a turn", "", of_one(lambda count: count.embedding_calls)),
        line(
            f"model calls a turn, {CLIENTS} clients",
            "",
            lambda cost: [count.calls / turns for count in cost.under_load],
            why=_ASKS_NOBODY,
        ),
        line("CPU a turn, the system", "ms", lambda cost: cost.cpu, why=_MORE_KEPT),
        line("CPU a turn, the database", "ms", lambda cost: cost.database, why=_MORE_KEPT),
    ]


def _remarks() -> list[str]:
    return [
        "Waiting turns of one person become one model call in Rapport: where turns come faster than they are read, it "
        "makes fewer calls than there are turns.",
        "Rapport keeps more of a turn than the others: the messages, the exact prompt and answer, a revision of every "
        "change with what it rests on, and the snapshot from which contexts are read; and it takes a turn over HTTP "
        "and hands it to another process. Its CPU and the database's are the price, paid after the reply.",
        "Rapport's and LangMem's prompts grow with the memories that they show; mem0's is fixed instructions for the "
        "most part.",
        "The recipe scratchpad embeds nothing as long as everything is shown; two_call asks the model twice where "
        "something is said, and its second call shows up to 20 memories.",
        "The baseline has no model to pay for and understands nothing: see Truth after change.",
    ]
