"""One run: the sets are stored, asked, and what was found is counted."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.progress import Progress

from benchmarks.recall.choosing import choose
from benchmarks.recall.evidence import Posed, Recalls, pose_questions, recalls
from benchmarks.recall.halumem import Person, read_people
from benchmarks.recall.locomo import CATEGORIES, Talk, read_talks
from benchmarks.recall.steps import built_up, published, taken_away
from benchmarks.recall.tables import Table, means_row, plain_row, row_of
from benchmarks.recall.updates import Asker, Shown, play
from memory.retrieval.configuration import Language, Retrieval
from memory.retrieval.rankers.best import BestRanker

ENGLISH: Language = "english"
Goals = tuple[float | None, float | None]
TEXT_GOALS: Goals = (68, None)
MODEL_GOALS: Goals = (76, 83)
UPDATE_GOALS: Goals = (None, 95)
_EVIDENCE = (
    "LoCoMo, {talks} conversations, {questions} questions of categories 1 to 4: of each question's evidence turns, the"
    " share that is found. Brackets: 95 of 100 resamples of the questions (2,000, seed 7)."
)
_UPDATES = (
    "HaluMem, {people} people, {updates} labelled updates: of the entries that a new fact replaces, the share that is"
    " found with the fact's text among all that is remembered by then."
)


def measure(data: Path, *, embedder: str | None, progress: Progress) -> Iterator[Table]:
    """The tables, each as soon as it is there. `embedder`: an alias; None: only text alone is measured."""
    talks, people = read_talks(data / "locomo"), read_people(data / "halumem")
    if talks:
        yield from _evidence(talks, Retrieval(language=ENGLISH), "no model", TEXT_GOALS, progress)
        yield _unstemmed(talks, progress)
    if talks and embedder:
        wanted = Retrieval(language=ENGLISH, embedder=embedder, embed_messages=True, query_seconds=60)
        yield from _evidence(talks, wanted, "MiniLM", MODEL_GOALS, progress)
    if people:
        yield _updates(people, embedder, progress)


def _evidence(
    talks: list[Talk], retrieval: Retrieval, model: str, goals: Goals, progress: Progress
) -> Iterator[Table]:
    posed = _posed(talks, retrieval, model, progress)
    vectors = retrieval.embedder is not None
    whole = recalls(posed, BestRanker())
    how = _EVIDENCE.format(talks=len(talks), questions=len(posed))
    table = Table(f"Evidence recall, {model}", how, [row_of("best", whole, goals=goals)])
    choice = choose(posed, vectors=vectors)
    table.rows.append(row_of("best, weights chosen on the other conversations", choice.held_out, goals=goals))
    table.rows.append(plain_row(f"the worst of {choice.settings} settings", np.array(choice.worst) * 100))
    table.rows.append(plain_row("the middle one", np.array(choice.middle) * 100))
    if vectors:
        table.rows += [row_of(name, recalls(posed, ranker), against=whole) for name, ranker in published()]
    yield table
    yield _ablation(posed, whole, model, vectors=vectors)
    yield _by_group(posed, whole, model)


def _ablation(posed: list[Posed], whole: Recalls, model: str, *, vectors: bool) -> Table:
    how = "Built up, each step against the one before; then taken from the whole, each against the whole."
    table = Table(f"What each part is worth, {model}", how)
    before = None
    for name, ranker in built_up(vectors=vectors):
        values = recalls(posed, ranker)
        table.rows.append(row_of(name, values, against=before))
        before = values
    for name, ranker in taken_away(vectors=vectors):
        table.rows.append(row_of(name, recalls(posed, ranker), against=whole))
    return table


def _by_group(posed: list[Posed], whole: Recalls, model: str) -> Table:
    table = Table(
        f"By conversation and kind of question, {model}", "`best`; the number of questions beside each."
    )
    talks = np.array([one.talk for one in posed])
    kinds = np.array([one.category for one in posed])
    table.rows += [means_row(talk, whole[talks == talk]) for talk in dict.fromkeys(talks)]
    table.rows += [
        means_row(name, whole[kinds == kind]) for kind, name in CATEGORIES.items() if (kinds == kind).any()
    ]
    return table


def _unstemmed(talks: list[Talk], progress: Progress) -> Table:
    posed = _posed(talks, Retrieval(), "no language", progress)
    table = Table("Evidence recall where the language is unknown", "No model, no stems, no stop words.")
    table.rows.append(row_of("best", recalls(posed, BestRanker()), goals=TEXT_GOALS))
    return table


def _posed(talks: list[Talk], retrieval: Retrieval, model: str, progress: Progress) -> list[Posed]:
    task = progress.add_task(f"asking LoCoMo, {model}", total=len(talks))
    posed: list[Posed] = []
    for talk in talks:
        posed += pose_questions(talk, retrieval)
        progress.advance(task)
    return posed


def _updates(people: list[Person], embedder: str | None, progress: Progress) -> Table:
    text = Retrieval(language=ENGLISH)
    stored = text.model_copy(update={"embedder": embedder, "query_seconds": 60.0})
    askers: dict[str, Asker] = {"best, no model": ("best", text)}
    if embedder:
        askers |= {f"{ranker}, MiniLM": (ranker, stored) for ranker in ("cosine", "hybrid", "best")}
    shown = {name: Shown() for name in askers}
    task = progress.add_task("playing HaluMem", total=len(people))
    for person in people:
        for name, one in play(person, askers, stored).items():
            shown[name].add(one)
        progress.advance(task)
    updates = len(next(iter(shown.values())).share)
    table = Table("Update candidates", _UPDATES.format(people=len(people), updates=updates))
    for name, one in shown.items():
        goals = UPDATE_GOALS if name.startswith("best") else (None, None)
        sizes = " and ".join(f"{size:.0f}" for size in np.mean(one.sizes, axis=0))
        table.rows += [
            row_of(name, np.array(one.share), goals=goals),
            row_of(f"{name}: at least one of them", np.array(one.any_of), goals=goals),
            row_of(f"{name}: by all of a session's facts, {sizes} entries", np.array(one.union), goals=goals),
        ]
    return table
