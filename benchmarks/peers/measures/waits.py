"""1. What the reply waits for: handing a turn over, and fetching the memory for the next reply."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import field as values
from itertools import product

from benchmarks.peers.field import Field, Scale
from benchmarks.peers.findings import Finding, Goal, Line
from benchmarks.peers.measures.asking import KNOWN, PEOPLE, book_of, fetches, hand_overs, known
from benchmarks.peers.measures.failing import in_words, noting, running
from benchmarks.peers.systems.base import Call, System
from benchmarks.timing import percentile

CLIENTS = (1, 16)
LATENCIES = (0, 300)
# Calls a round and client count: with a model that is far away, fewer say as much.
_FETCHES = {(0, 1): 100, (0, 16): 320, (300, 1): 6, (300, 16): 48}
_HAND_OVERS = {(0, 1): 24, (0, 16): 64, (300, 1): 4, (300, 16): 32}
ASKED = "asked"  # these people are only asked about; others are told things, each round new ones
_TAIL_FROM = 20  # calls a round; where there are fewer, a p95 is that of all rounds together
_SETTLE_SECONDS = 120.0
_FASTER = 5.0
# Why another may be ahead.
WHY = {
    "fetch": "Rapport is asked over HTTP, and looks up the key; the others are called as libraries, "
    "as is rapport-in-process.",
    "hand_over": "Rapport stores the turn, its messages and what is owed of them before it answers, over HTTP.",
}
WARM_UP = Scale(rounds=1, share=0.25)


@dataclass(frozen=True, slots=True)
class Case:
    verb: str
    latency: int
    clients: int

    @property
    def name(self) -> str:
        verb = "hand over" if self.verb == "hand_over" else "fetch"
        at_once = "1 client" if self.clients == 1 else f"{self.clients} clients"
        return f"{verb}, model {self.latency} ms, {at_once}"

    @property
    def has_a_tail(self) -> bool:
        """Whether a round has calls enough for a p95."""
        return _calls_of(self) >= _TAIL_FROM


@dataclass(slots=True)
class Taken:
    """What the calls of one case took in one system: milliseconds, a list a round; and what a fetch asked and gave."""

    milliseconds: list[list[float]] = values(default_factory=list)
    embedding_calls: list[float] = values(default_factory=list)  # a fetch, of each round
    shown: list[float] = values(default_factory=list)  # memories, of one fetch each round

    def p95(self, case: "Case") -> list[float]:
        rounds = (
            self.milliseconds if case.has_a_tail else [[one for times in self.milliseconds for one in times]]
        )
        return [percentile(times, 0.95) for times in rounds if times]


CASES = [Case(*case) for case in product(("fetch", "hand_over"), LATENCIES, CLIENTS)]


def measure(field: Field) -> Finding:
    taken: dict[Case, dict[str, Taken]] = {case: {} for case in CASES}
    failures: dict[str, str] = {}
    with ExitStack() as stack:
        systems = [stack.enter_context(field.running(make)) for make in field.systems]
        for system in systems:
            field.say(f"waits: {system.name} gets what it knows")
            system.load(known(ASKED))
        said = 0
        for number in range(field.scale.rounds + 1):  # the first warms everything up
            for system in systems:
                system.load(known(f"told-{number}"))
            for case in CASES:
                field.model.slow_down(case.latency)
                calls = _calls(case, field.scale if number else WARM_UP, f"told-{number}", said)
                said += len(calls)
                field.model.teach(book_of(calls) if case.verb == "hand_over" else {})
                field.model.warm([call.question for call in calls if call.question], field.house.dimensions)
                for system in running(systems, failures):
                    field.say(f"waits: round {number} of {field.scale.rounds}, {case.name}, {system.name}")
                    kept = taken[case].setdefault(system.name, Taken()) if number else Taken()
                    with noting(system, failures):
                        _take(field, system, case, calls, kept)
        field.model.slow_down(0)
    return _finding(field, taken, failures)


def _calls(case: Case, scale: Scale, told: str, said: int) -> list[Call]:
    count = scale.of(_calls_of(case), at_least=2 * case.clients)
    return fetches(ASKED, count, start=said) if case.verb == "fetch" else hand_overs(told, count, start=said)


def _calls_of(case: Case) -> int:
    return (_FETCHES if case.verb == "fetch" else _HAND_OVERS)[case.latency, case.clients]


def _take(field: Field, system: System, case: Case, calls: list[Call], taken: Taken) -> None:
    """Make the calls. What is still to be remembered is waited for, and not timed."""
    field.model.reset()
    timed = system.time(calls, clients=case.clients)
    if timed.failures:
        raise RuntimeError(
            f"{len(timed.failures)} of {len(calls)} calls failed, such as: {timed.failures[0]}"
        )
    taken.milliseconds.append(timed.milliseconds)
    if case.verb == "hand_over":
        system.settle(_SETTLE_SECONDS)
        return
    taken.embedding_calls.append(field.model.counts(system.name).embedding_calls / len(calls))
    taken.shown.append(float(len(system.fetch(calls[-1].user, calls[-1].question))))


def _finding(field: Field, taken: Mapping[Case, Mapping[str, Taken]], failures: Mapping[str, str]) -> Finding:
    lines = [line for case in CASES for line in _lines(case, taken[case])]
    asked = taken[Case("fetch", 0, 1)]
    lines += [
        Line("embedding calls a fetch", "", {name: of.embedding_calls for name, of in asked.items()}, None),
        Line("memories that a fetch shows, of 20", "", {name: of.shown for name, of in asked.items()}, None),
    ]
    fetch = next(line for line in lines if line.name == "fetch, model 0 ms, 1 client, p50")
    return Finding(
        "waits",
        "What the reply waits for",
        f"{PEOPLE} people with {KNOWN} memories each. Handing over: one turn of two messages. Fetching: what the model "
        "would be shown for the next reply, up to 20 memories. Timed where the caller stands: around the HTTP call, or "
        "around the library's. Each call to the model server, for text or for vectors, takes the milliseconds that are "
        f"said. {field.scale.rounds} rounds after one to warm up; in each, every system in turn, case by case.",
        lines,
        [
            _faster(fetch, "rapport", "recipe scratchpad over HTTP", _FASTER),
            _faster(fetch, "rapport-in-process", "recipe scratchpad in process", _FASTER),
            _faster(fetch, "rapport-retrieval", "with retrieval (recipe two_call) over HTTP", 1.0),
        ],
        [*_remarks(), *in_words(failures)],
    )


def _lines(case: Case, taken: Mapping[str, Taken]) -> list[Line]:
    p50 = {
        name: [percentile(times, 0.5) for times in of.milliseconds]
        for name, of in taken.items()
        if of.milliseconds
    }
    p95 = {name: of.p95(case) for name, of in taken.items() if of.milliseconds}
    of_all = "" if case.has_a_tail else ", all rounds together"
    why = WHY[case.verb]
    return [
        Line(f"{case.name}, p50", "ms", p50, why=why),
        Line(f"{case.name}, p95{of_all}", "ms", p95, why=why),
    ]


def _faster(fetch: Line, system: str, how: str, bound: float) -> Goal:
    """mem0's search in terms of ours, p50 at one client and a model without latency, pair by pair."""
    ratio = fetch.ratio("mem0", system)
    return Goal(
        f"fetch: times as fast as mem0's search, {how}", ratio.middle if ratio else None, bound, False, "x"
    )


def _remarks() -> list[str]:
    return [
        "Rapport answers a hand-over when the turn is stored, and remembers it afterwards; mem0 and LangMem ask the "
        "model meanwhile. Both can be called from a queue of one's own, and LangMem has an executor that does it in "
        "the same process: then a reply waits for neither, and what a crash leaves unread is gone (see Loss).",
        "The baseline asks no model at all: where it hands over faster, it is because all it does is embed and insert.",
        "With the recipe scratchpad a fetch embeds nothing and searches nothing: it reads one row. All others "
        "embed the question first, so they wait for the model server once; so does Rapport with retrieval, for "
        "0.8 s at the most: after that it finds by words alone, and says so.",
        "A library is called where the caller runs; Rapport over HTTP pays for the request, about a millisecond, for "
        "which it can be shared by programs in any language. The line in process is without that.",
        "Those who are asked about have said nothing yet, so there are no recent messages for Rapport's context to "
        "show; the others' fetch gives memories only. What a context takes with 20 recent messages of a thousand "
        "characters and 100 entries, docs/reference/performance.md says.",
    ]
