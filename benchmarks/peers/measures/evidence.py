"""Evidence recall: whether a fetch finds what answers a question, and how long it takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import mean
from time import perf_counter

from benchmarks.peers.scenario import Lab, Line
from benchmarks.peers.systems import System
from benchmarks.recall import data_folder
from benchmarks.recall.evidence import CUTS, shares
from benchmarks.recall.sets import Question, Said, Talk, read_talks
from benchmarks.report import Section
from benchmarks.runner import say
from benchmarks.timing import p50, p95

QUESTIONS = 150  # of each conversation, evenly from the first to the last
_HOW = (
    "LoCoMo's conversations, each turn stored as a memory, word for word, without asking the model; then the "
    "questions, each once, the systems in turn. Recall: the share of a question's evidence turns among the first 10 "
    "and 20 found. A round is a conversation. The embedder knows only words and trigrams, no meaning."
)


@dataclass(slots=True)
class Answered:
    """Results of one system with one conversation. `shares`: recall at each cut, by question; `took`: milliseconds."""

    shares: list[list[float]] = field(default_factory=list)
    took: list[float] = field(default_factory=list)

    def ask(self, system: System, talk: Talk, question: Question, wanted: set[str]) -> None:
        began = perf_counter()
        shown = system.fetch(talk.name, question.text)
        self.took.append((perf_counter() - began) * 1000)
        self.shares.append(shares(wanted, shown))

    def recall(self, cut: int) -> float:
        return 100 * mean(share[CUTS.index(cut)] for share in self.shares)


def evidence(lab: Lab) -> Section:
    talks = read_talks(data_folder() / "locomo")
    if not talks:
        told = "It was not measured: RAPPORT_DATA names no folder that holds `locomo/*.json`."
        return Section("Evidence recall", told)
    found: dict[str, list[Answered]] = {}
    with lab.all_running() as systems:
        lab.load(systems, {talk.name: list(dict.fromkeys(map(_text, talk.turns))) for talk in talks})
        for talk in talks:
            say(f"evidence: {talk.name}")
            of_turn = {turn.id: _text(turn) for turn in talk.turns}
            for system in systems:
                found.setdefault(system.name, []).append(Answered())
                system.fetch(talk.name, "What do they talk about?")  # to warm up
            for question in _questions(lab, talk):
                wanted = {of_turn[turn] for turn in question.evidence}
                for system in systems:
                    found[system.name][-1].ask(system, talk, question, wanted)
    asked = sum(len(_questions(lab, talk)) for talk in talks)
    recalls = {f"recall@{cut} of {asked:,} questions": partial(Answered.recall, cut=cut) for cut in CUTS}
    times = {"search, p50": p50, "search, p95": p95}
    lines = [
        Line(name, "%", {one: [of(talk) for talk in each] for one, each in found.items()}, "more")
        for name, of in recalls.items()
    ] + [
        Line(name, "ms", {one: [of(talk.took) for talk in each] for one, each in found.items()})
        for name, of in times.items()
    ]
    return lab.section("Evidence recall", _HOW, lines, [])


def _text(turn: Said) -> str:
    return f"{turn.speaker}: {turn.content}"


def _questions(lab: Lab, talk: Talk) -> Sequence[Question]:
    count = min(len(talk.questions), lab.of(QUESTIONS, at_least=10))
    return [talk.questions[place * len(talk.questions) // count] for place in range(count)]
