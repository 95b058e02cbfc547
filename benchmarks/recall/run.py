"""The measurements: store the sets, ask their questions, and count what is found."""

from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.recall.chats import chats
from benchmarks.recall.coverage import coverage
from benchmarks.recall.evidence import CUTS, Recalls, recalls, store_talks
from benchmarks.recall.sets import CATEGORIES, Person, Talk, read_people, read_talks
from benchmarks.recall.updates import Asker, Shown, play
from benchmarks.report import Figure, Goal, Row, Section
from benchmarks.runner import Measure, say
from memory.retrieval.configuration import Language, Retrieval

ENGLISH: Language = "english"
HEADINGS = ("", "@10", "@20", "change @10")
RESAMPLES, SEED = 2000, 7
TEXT_GOALS, MODEL_GOALS, UPDATE_GOALS = {10: 82.0}, {10: 87.0, 20: 92.0}, {20: 95.0}
_EVIDENCE = (
    "LoCoMo, {talks} conversations, {questions} questions of categories 1 to 4: of each question's evidence turns, the"
    " share that is found. Brackets: 95 of 100 resamples of the questions (2,000, seed 7)."
)
_UPDATES = (
    "HaluMem, {people} people, {updates} labelled updates: of the entries that a new fact replaces, the share that is"
    " found with the fact's text among all that is remembered by then."
)


def measures_of(data: Path, *, embedder: str | None) -> dict[str, Measure]:
    """The measurements that `data` has sets for. `embedder`: its alias; None: only search by text is measured."""
    talks, people = read_talks(data / "locomo"), read_people(data / "halumem")
    found: dict[str, Measure] = {}
    if talks:
        found["evidence"] = partial(_evidence, talks, Retrieval(), "no model", TEXT_GOALS)
        found["coverage"] = partial(coverage, talks)
    if talks and embedder:
        wanted = Retrieval(embedder=embedder, embed_messages=True, query_seconds=60)
        found["evidence_model"] = partial(_evidence, talks, wanted, "MiniLM", MODEL_GOALS)
    if people:
        found["chats"] = partial(chats, people)
        found["updates"] = partial(_updates, people, embedder)
    return found


def _evidence(talks: list[Talk], retrieval: Retrieval, model: str, goals: dict[int, float]) -> list[Section]:
    stored = store_talks(talks, retrieval)
    whole = recalls(stored, retrieval)
    rows = [_row("best", whole)]
    if retrieval.embedder is not None:
        for ranker in ("cosine", "hybrid"):
            other = retrieval.model_copy(update={"ranker": ranker})
            rows.append(_row(ranker, recalls(stored, other), against=whole))
    else:
        simple = Retrieval(language="simple")
        unstemmed = recalls(store_talks(talks, simple), simple)
        rows.append(_row("best, language unknown: no stems, no stop words", unstemmed, against=whole))
    how = _EVIDENCE.format(talks=len(talks), questions=len(whole))
    return [
        Section(f"Evidence recall, {model}", how, _figures("best", whole, goals), HEADINGS, rows),
        _by_group(talks, whole, model),
    ]


def _by_group(asked: list[Talk], whole: Recalls, model: str) -> Section:
    talks = np.array([talk.name for talk in asked for _ in talk.questions])
    kinds = np.array([question.category for talk in asked for question in talk.questions])
    groups = [(talk, talks == talk) for talk in dict.fromkeys(talks)]
    groups += [(name, kinds == kind) for kind, name in CATEGORIES.items() if (kinds == kind).any()]
    means = [(f"{name} ({inside.sum()})", whole[inside].mean(axis=0) * 100) for name, inside in groups]
    rows: list[Row] = [(name, f"{mean[0]:.1f}", f"{mean[1]:.1f}") for name, mean in means]
    how = "`best`; the number of questions beside each."
    return Section(f"By conversation and kind of question, {model}", how, [], HEADINGS[:3], rows)


def _updates(people: list[Person], embedder: str | None) -> Section:
    text = Retrieval(language=ENGLISH)
    stored = text.model_copy(update={"embedder": embedder, "query_seconds": 60.0})
    askers: dict[str, Asker] = {"best, no model": ("best", text)}
    if embedder:
        askers |= {f"{ranker}, MiniLM": (ranker, stored) for ranker in ("cosine", "hybrid", "best")}
    shown: dict[str, Shown] = {name: defaultdict(list) for name in askers}
    for person in people:
        say(f"playing HaluMem: {person.name}")
        play(person, askers, stored, shown)
    updates = len(shown["best, no model"]["share"])
    how = _UPDATES.format(people=len(people), updates=updates)
    section = Section("Update candidates", how, headings=HEADINGS)
    for name, one in shown.items():
        sizes = " and ".join(f"{size:.0f}" for size in np.mean(one["sizes"], axis=0))
        section.rows += [
            _row(name, np.array(one["share"])),
            _row(f"{name}: at least one of them", np.array(one["any_of"])),
            _row(f"{name}: by all of a session's facts, {sizes} entries", np.array(one["union"])),
        ]
        if name.startswith("best"):
            section.figures += _figures(name, np.array(one["share"]), UPDATE_GOALS)
    return section


def _row(name: str, values: Recalls, *, against: Recalls | None = None) -> Row:
    """The means at each cut, in percent, and the change at the first cut `against` those of the same questions."""
    change = _interval(values[:, 0] - against[:, 0], "+") if against is not None else ""
    return name, *(_interval(values[:, cut]) for cut in range(len(CUTS))), change


def _interval(shares: NDArray[np.float64], sign: str = "") -> str:
    """The mean in percent, and the range of 95 of 100 resamples (percentile bootstrap, Efron 1979)."""
    random = np.random.default_rng(SEED)
    means = shares[random.integers(0, len(shares), (RESAMPLES, len(shares)))].mean(axis=1)
    low, high = 100 * np.percentile(means, [2.5, 97.5])
    return f"{100 * shares.mean():{sign}.1f} [{low:{sign}.1f}, {high:{sign}.1f}]"


def _figures(name: str, values: Recalls, goals: dict[int, float]) -> list[Figure]:
    means = dict(zip(CUTS, values.mean(axis=0) * 100, strict=True))
    return [
        Figure(f"{name} @{cut}", float(means[cut]), "%", Goal(bound, at_most=False))
        for cut, bound in goals.items()
    ]
