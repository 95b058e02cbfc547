"""Truth after change: what somebody takes back, corrects or wants forgotten is gone from what the model is shown."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from time import perf_counter, sleep
from typing import NamedTuple

from benchmarks.peers.scenario import Lab, Line, Rounds, line_of, times_shown, told_of
from benchmarks.peers.stories import Story, Told, book_of, life_stories, turn_of
from benchmarks.peers.systems import System
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say
from benchmarks.timing import percentile

STORIES = 200
_TELLERS = 4
_WHY = {
    "mem0": ': its prompt lets the model add and nothing else ("Your sole operation is ADD"), so the old stays beside '
    "the new. Its library can change and delete a memory by ID; a conversation does not reach that.",
    "baseline": ": it appends every message and changes none.",
}
_HOW = (
    "{stories} scripted lives with {changes} changes, made by a seeded generator, told to each system in interleaved "
    "rounds. After each change the person asks about it, and what the model would be shown is read: the old value must "
    "be gone, the new one there, exactly once. When a story is over and all is remembered, every statement that was "
    "ended on the way is looked for once more, in what is stored and in what is shown, and every one that is still "
    "true in what is stored; a story is right if all of this is. No question is asked twice in the same words. The "
    "model is faultless within what each system's prompt shows it and its answer can say. Latency: from handing the "
    f"turn over to the end of the first fetch that is right, of the changes that came right, {_TELLERS} people talking "
    "at once. The conversation itself is counted for nobody."
)
_PATIENCE_SECONDS = 60.0
_NUMBERS = count(1)
_PAUSE_SECONDS = (
    0.002  # after a fetch that is not right yet, so that looking does not take the processor away
)


class Verdict(NamedTuple):
    """Whether the lines that a model is shown are right about one change."""

    kind: str
    old_is_gone: bool = False
    new_is_there: bool = False
    once: bool = False

    @property
    def right(self) -> bool:
        return self.old_is_gone and self.new_is_there and self.once


@dataclass(slots=True)
class Life:
    """What came of one story in one system. `came_back`: statements that were ended, and stored or shown at the end."""

    story: Story
    verdicts: list[Verdict] = field(default_factory=list)  # of each change
    milliseconds: list[float] = field(default_factory=list)  # of each change that came right
    lost_beside: int = 0
    came_back: int = 0
    failure: str = ""

    @property
    def right(self) -> bool:
        """After each change, and at the end."""
        verdicts = all(verdict.right for verdict in self.verdicts)
        return verdicts and not (self.came_back or self.lost_beside or self.failure)


Score = list[list[Life]]  # of each round


def truth(lab: Lab) -> Section:
    stories = life_stories(lab.of(STORIES, at_least=10), seed="truth")
    lab.model.teach(book_of(told for story in stories for told in story.told))
    scores: dict[str, Score] = {}
    with ExitStack() as stack:
        systems = lab.start_all(stack)
        for place in range(lab.rounds):
            for system in systems:
                say(f"truth: round {place + 1} of {lab.rounds}, {system.name}")
                with ThreadPoolExecutor(_TELLERS) as pool:
                    lives = list(pool.map(partial(_live, system), stories[place :: lab.rounds]))
                scores.setdefault(system.name, []).append(lives)
    changes = Counter(told.kind for story in stories for told in story.changes)
    shares = {
        name: 100 * _count(score, lambda life: life.right) / len(stories) for name, score in scores.items()
    }
    worst = min(lab.ours(shares), default=None)
    goal = Figure("stories right throughout", worst, "%", Goal(100, at_most=False))
    how = _HOW.format(stories=len(stories), changes=changes.total())
    remarks = [remark for name, score in scores.items() for remark in _remarks(name, score)]
    lines = _lines(len(stories), changes, scores)
    return lab.section("Truth after change", how, lines, [goal], remarks)


def _live(system: System, story: Story) -> Life:
    """Tell the story, and look after each change. An error of the system leaves what was to come wrong."""
    life = Life(story)
    try:
        for told in story.opening:
            system.hand_over(story.user, turn_of(told))
        system.settle(_PATIENCE_SECONDS)
        for told in story.changes:
            life.verdicts.append(_change(system, story, told, life))
        system.settle(_PATIENCE_SECONDS)  # the last change may have been right before all was done
        _look_at_the_end(system, story, life)
    except Exception as failure:  # a peer's own error is a result of the measure, not its end
        life.failure = told_of(failure)
        life.verdicts += [Verdict(told.kind) for told in story.changes[len(life.verdicts) :]]
    return life


def _look_at_the_end(system: System, story: Story, life: Life) -> None:
    stored, true = system.stored(story.user), story.true_at_the_end()
    life.lost_beside = sum(not times_shown(stored, story.forms_of(statement)) for statement in true)
    ended = {told.ends: told.question for told in story.changes if told.ends and told.ends not in true}
    for statement, question in ended.items():
        shown = _shown(system, story, question)
        life.came_back += times_shown([*stored, *shown], story.forms_of(statement)) > 0


def _change(system: System, story: Story, told: Told, life: Life) -> Verdict:
    began = perf_counter()
    system.hand_over(story.user, turn_of(told))
    if not told.ends:  # nothing changes; so only when all is done it can be seen that nothing did
        system.settle(_PATIENCE_SECONDS)
    while True:
        settled = not told.ends or system.is_settled()
        verdict = _look(system, story, told)
        if verdict.right and told.ends:
            life.milliseconds.append((perf_counter() - began) * 1000)
        if verdict.right or settled:
            return verdict
        if perf_counter() - began > _PATIENCE_SECONDS:
            raise TimeoutError("the turn was not read")
        sleep(_PAUSE_SECONDS)


def _look(system: System, story: Story, told: Told) -> Verdict:
    """There may be nothing new: then nothing has to be there."""
    lines = _shown(system, story, told.question)
    new = times_shown(lines, story.forms_of(told.says[0])) if told.says else 1
    old = times_shown(lines, story.forms_of(told.ends)) if told.ends else 0
    return Verdict(told.kind, old_is_gone=not old, new_is_there=new > 0, once=new <= 1)


def _shown(system: System, story: Story, question: str) -> list[str]:
    """So asked that each question is embedded, also by a system that keeps the embeddings of what was asked before."""
    return system.fetch(story.user, f"Day {next(_NUMBERS)}: {question}")


def _remarks(name: str, score: Score) -> list[str]:
    failures = [life.failure for lives in score for life in lives if life.failure]
    verdicts = _verdicts(score)
    beside = sum(verdict.new_is_there and not verdict.old_is_gone for verdict in verdicts)
    told = {
        f"{len(failures)} stories ended with an error, the first: {(failures or [''])[0]}": bool(failures),
        f"after {beside} of {len(verdicts)} changes the old is still shown{_WHY.get(name, '')}": bool(beside),
    }
    return [f"{name}: {remark}" for remark, holds in told.items() if holds]


def _verdicts(score: Score) -> list[Verdict]:
    return [verdict for lives in score for life in lives for verdict in life.verdicts]


def _count(score: Score, of: Callable[[Life], float]) -> float:
    return float(sum(of(life) for lives in score for life in lives))


def _latency(share: float) -> Callable[[Score], Rounds]:
    def of(score: Score) -> Rounds:
        rounds = [[took for life in lives for took in life.milliseconds] for lives in score]
        return [percentile(times, share) for times in rounds if times] or "never right"

    return of


def _lines(stories: int, changes: Counter[str], scores: dict[str, Score]) -> list[Line]:
    line = partial(line_of, scores)

    def share(what: str) -> Callable[[Score], Rounds]:
        return lambda score: [100 * sum(getattr(one, what) for one in _verdicts(score)) / changes.total()]

    def right(kind: str) -> Callable[[Score], Rounds]:
        return lambda score: [float(sum(one.right for one in _verdicts(score) if one.kind == kind))]

    return [
        line(
            f"stories right throughout, of {stories}",
            lambda score: [_count(score, lambda life: life.right)],
            better="more",
        ),
        line("changes with the old value gone", share("old_is_gone"), "%", "more"),
        line("changes with the new value there", share("new_is_there"), "%", "more"),
        line("changes with it there no more than once", share("once"), "%", "more"),
        *(
            line(f"right after: {kind}, of {n}", right(kind), better="more")
            for kind, n in sorted(changes.items())
        ),
        line("other facts lost on the way", lambda score: [_count(score, lambda life: life.lost_beside)]),
        line(
            "ended statements that came back, or never went",
            lambda score: [_count(score, lambda life: life.came_back)],
        ),
        line("correction latency, p50", _latency(0.5), "ms"),
        line("correction latency, p95", _latency(0.95), "ms"),
    ]
