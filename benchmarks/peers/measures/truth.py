"""Truth after change: what somebody takes back, corrects or wants forgotten is gone from what the model is shown."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter, sleep
from typing import NamedTuple

from benchmarks.peers.scenario import Lab, Line, Rounds, section_of, times_shown
from benchmarks.peers.stories import Story, Told, book_of, life_stories, turn_of
from benchmarks.peers.systems import System
from benchmarks.report import Figure, Goal, Section
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

    old_is_gone: bool = False
    new_is_there: bool = False
    once: bool = False


@dataclass(slots=True)
class Life:
    """What came of one story in one system."""

    story: Story
    verdicts: list[Verdict] = field(default_factory=list)  # of each change
    milliseconds: list[float] = field(default_factory=list)  # of each change that came right
    lost_beside: int = 0
    came_back: int = 0  # statements that were ended and are stored or shown at the end
    failure: str = ""

    @property
    def right(self) -> bool:
        """After each change, and at the end."""
        return all(map(all, self.verdicts)) and not (self.came_back or self.lost_beside or self.failure)


@dataclass(slots=True)
class Score:
    """What came of all stories in one system. `milliseconds`: a list a round."""

    lives: list[Life] = field(default_factory=list)
    milliseconds: list[list[float]] = field(default_factory=list)

    @property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """Of each change of all stories, with its kind."""
        return [
            (told.kind, verdict)
            for life in self.lives
            for told, verdict in zip(life.story.changes, life.verdicts, strict=True)
        ]

    @property
    def right_stories(self) -> int:
        return sum(life.right for life in self.lives)

    def share(self, what: str) -> float:
        """Of the changes, in percent."""
        verdicts = self.verdicts
        return 100 * sum(bool(getattr(verdict, what)) for _, verdict in verdicts) / max(1, len(verdicts))

    def right_of(self, kind: str) -> int:
        return sum(all(verdict) for of_kind, verdict in self.verdicts if of_kind == kind)

    def per_round(self, share: float) -> Rounds:
        return [percentile(times, share) for times in self.milliseconds if times] or "never right"


def truth(lab: Lab) -> Section:
    stories = life_stories(lab.of(STORIES, at_least=10), seed="truth")
    lab.model.teach(book_of(told for story in stories for told in story.told))
    scores: dict[str, Score] = {}
    with ExitStack() as stack:
        systems = lab.start_all(stack)
        for place in range(lab.rounds):
            for system in systems:
                lab.say(f"truth: round {place + 1} of {lab.rounds}, {system.name}")
                tell(system, stories[place :: lab.rounds], scores.setdefault(system.name, Score()))
    changes = Counter(told.kind for story in stories for told in story.changes)
    shares = {name: 100 * score.right_stories / len(stories) for name, score in scores.items()}
    goal = Figure(
        "stories right throughout", min(lab.ours(shares), default=None), "%", goal=Goal(100, at_most=False)
    )
    how = _HOW.format(stories=len(stories), changes=changes.total())
    remarks = [remark for name, score in scores.items() for remark in _remarks(name, score)]
    lines = _lines(len(stories), changes, scores)
    return section_of(lab, "truth", "Truth after change", how, lines, [goal], remarks)


def tell(system: System, stories: Sequence[Story], score: Score) -> None:
    """Several at once."""
    with ThreadPoolExecutor(_TELLERS) as pool:
        lives = list(pool.map(lambda story: _live(system, story), stories))
    score.milliseconds.append([took for life in lives for took in life.milliseconds])
    score.lives += lives


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
        life.failure = f"{type(failure).__name__}: {failure}"[:200]
        life.verdicts += [Verdict()] * (len(story.changes) - len(life.verdicts))
    return life


def _look_at_the_end(system: System, story: Story, life: Life) -> None:
    stored, true = system.stored(story.user), story.true_at_the_end()
    life.lost_beside = sum(not times_shown(stored, story.forms_of(statement)) for statement in true)
    ended = {told.ends: told.question for told in story.changes if told.ends and told.ends not in true}
    for statement, question in ended.items():
        shown = system.fetch(story.user, _numbered(question))
        life.came_back += times_shown([*stored, *shown], story.forms_of(statement)) > 0


def _change(system: System, story: Story, told: Told, life: Life) -> Verdict:
    began = perf_counter()
    system.hand_over(story.user, turn_of(told))
    if not told.ends:  # nothing changes; so only when all is done it can be seen that nothing did
        system.settle(_PATIENCE_SECONDS)
    settled = not told.ends
    while True:
        verdict = _look(system, story, told)
        if all(verdict) and told.ends:
            life.milliseconds.append((perf_counter() - began) * 1000)
        if all(verdict) or settled:
            return verdict
        settled = _is_settled(system, began)


def _look(system: System, story: Story, told: Told) -> Verdict:
    """There may be nothing new: then nothing has to be there."""
    lines = system.fetch(story.user, _numbered(told.question))
    new = times_shown(lines, story.forms_of(told.says[0])) if told.says else 1
    return Verdict(
        old_is_gone=not told.ends or not times_shown(lines, story.forms_of(told.ends)),
        new_is_there=new > 0,
        once=new <= 1,
    )


def _numbered(question: str) -> str:
    """So that each question is embedded, also by a system that keeps the embeddings of what was asked before."""
    return f"Day {next(_NUMBERS)}: {question}"


def _is_settled(system: System, began: float) -> bool:
    """Raises TimeoutError when it takes far too long."""
    try:
        system.settle(0)
    except TimeoutError:
        sleep(_PAUSE_SECONDS)
        if perf_counter() - began > _PATIENCE_SECONDS:
            raise
        return False
    return True


def _remarks(name: str, score: Score) -> list[str]:
    failures = [life.failure for life in score.lives if life.failure]
    verdicts = [verdict for _, verdict in score.verdicts]
    beside = sum(verdict.new_is_there and not verdict.old_is_gone for verdict in verdicts)
    told = {
        f"{len(failures)} stories ended with an error, the first: {(failures or [''])[0]}": bool(failures),
        f"after {beside} of {len(verdicts)} changes the old is still shown{_WHY.get(name, '')}": bool(beside),
    }
    return [f"{name}: {remark}" for remark, holds in told.items() if holds]


def _lines(stories: int, changes: Counter[str], scores: dict[str, Score]) -> list[Line]:
    def line(name: str, unit: str, pick: Callable[[Score], Rounds], *, more: bool = True) -> Line:
        return Line(name, unit, {n: pick(score) for n, score in scores.items()}, "more" if more else "less")

    def summed(what: str) -> Callable[[Score], Rounds]:
        return lambda score: [float(sum(getattr(life, what) for life in score.lives))]

    def right(kind: str) -> Callable[[Score], Rounds]:
        return lambda score: [float(score.right_of(kind))]

    return [
        line(f"stories right throughout, of {stories}", "", lambda score: [float(score.right_stories)]),
        line("changes with the old value gone", "%", lambda score: [score.share("old_is_gone")]),
        line("changes with the new value there", "%", lambda score: [score.share("new_is_there")]),
        line("changes with it there no more than once", "%", lambda score: [score.share("once")]),
        *(
            line(f"right after: {kind}, of {times}", "", right(kind))
            for kind, times in sorted(changes.items())
        ),
        line("other facts lost on the way", "", summed("lost_beside"), more=False),
        line("ended statements that came back, or never went", "", summed("came_back"), more=False),
        line("correction latency, p50", "ms", lambda score: score.per_round(0.5), more=False),
        line("correction latency, p95", "ms", lambda score: score.per_round(0.95), more=False),
    ]
