"""Evidence recall: is what answers a question among what is found, and how long does finding it take?"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import mean
from time import perf_counter

from benchmarks.peers.scenario import Lab, Line, section_of
from benchmarks.peers.systems import System
from benchmarks.recall import data_folder
from benchmarks.recall.sets import AskedOfTurns, Said, Talk, read_talks
from benchmarks.report import Section
from benchmarks.timing import p50, p95

CUTS = (10, 20)
QUESTIONS = 150  # of each conversation, evenly from the first to the last
_HOW = (
    "LoCoMo's conversations, each turn of which is stored as a memory of one person, word for word, without asking the "
    "model; then its questions, each once, the systems taking turns question by question. Recall is the share of a "
    "question's evidence turns that stand among the first 10 and 20 found. A round is a conversation. Who asks an "
    "embedder has one that knows no meaning: words and trigrams."
)
_REMARKS = [
    "rapport, with the recipe scratchpad, keeps a list that is shown whole, and searches for nothing; "
    "rapport-retrieval searches, as the others do.",
]


@dataclass(slots=True)
class Found:
    """Of one system, a number for each conversation."""

    recall: dict[int, list[float]] = field(default_factory=lambda: {cut: [] for cut in CUTS})
    p50: list[float] = field(default_factory=list)
    p95: list[float] = field(default_factory=list)


def evidence(lab: Lab) -> Section:
    talks = read_talks(data_folder() / "locomo")
    if not talks:
        told = "It was not measured: RAPPORT_DATA names no folder that holds `locomo/*.json`."
        return Section("evidence", "Evidence recall", told)
    memories = {talk.name: list(dict.fromkeys(map(_text, talk.turns))) for talk in talks}
    found: dict[str, Found] = {}
    with ExitStack() as stack:
        systems = lab.start_all(stack)
        for system in systems:
            lab.say(f"evidence: loading {sum(map(len, memories.values())):,} turns, {system.name}")
            with lab.noting(system.name):
                system.load(memories)
                found[system.name] = Found()
        for talk in talks:
            lab.say(f"evidence: {talk.name}")
            _ask(lab, [system for system in systems if system.name in found], talk, found)
    asked = sum(len(_questions(lab, talk)) for talk in talks)
    return section_of(lab, "evidence", "Evidence recall", _HOW, _lines(asked, found), [], _REMARKS)


def _text(turn: Said) -> str:
    return f"{turn.speaker}: {turn.content}"


def _ask(lab: Lab, systems: Sequence[System], talk: Talk, found: Mapping[str, Found]) -> None:
    """The questions of one conversation."""
    of_turn = {turn.id: _text(turn) for turn in talk.turns}
    shares: dict[str, dict[int, list[float]]] = {one.name: {cut: [] for cut in CUTS} for one in systems}
    took: dict[str, list[float]] = {one.name: [] for one in systems}
    for system in systems:
        system.fetch(talk.name, "What do they talk about?")  # whoever begins wakes up
    for question in _questions(lab, talk):
        wanted = {of_turn[turn] for turn in question.evidence}
        for system in systems:
            began = perf_counter()
            shown = system.fetch(talk.name, question.text)
            took[system.name].append((perf_counter() - began) * 1000)
            for cut in CUTS:
                shares[system.name][cut].append(len(wanted & set(shown[:cut])) / len(wanted))
    for name, times in took.items():
        for cut in CUTS:
            found[name].recall[cut].append(100 * mean(shares[name][cut]))
        found[name].p50.append(p50(times))
        found[name].p95.append(p95(times))


def _questions(lab: Lab, talk: Talk) -> Sequence[AskedOfTurns]:
    count = min(len(talk.questions), lab.of(QUESTIONS, at_least=10))
    return [talk.questions[place * len(talk.questions) // count] for place in range(count)]


def _lines(asked: int, found: Mapping[str, Found]) -> list[Line]:
    recalls = [
        Line(
            f"recall@{cut} of {asked:,} questions",
            "%",
            {name: one.recall[cut] for name, one in found.items()},
            "more",
        )
        for cut in CUTS
    ]
    return [
        *recalls,
        Line("search, p50", "ms", {name: one.p50 for name, one in found.items()}),
        Line("search, p95", "ms", {name: one.p95 for name, one in found.items()}),
    ]
