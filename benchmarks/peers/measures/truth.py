"""Truth after change: whether the model is still shown what the person took back, corrected or wanted forgotten."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from time import perf_counter, sleep

from benchmarks.peers.scenario import Better, Lab, Line, Rounds, line_of, times_shown, told_of
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
_PAUSE_SECONDS = 0.002  # between fetches, so that they do not use the whole processor


GONE, THERE, ONCE, RIGHT = (
    "old value gone",
    "new value there",
    "it there no more than once",
    "right throughout",
)
LOST, BACK = "other facts lost on the way", "ended statements that came back, or never went"
BESIDE = "the old is still shown beside the new"


@dataclass(slots=True)
class Score:
    """Results of stories in one system. `milliseconds`: of changes that became right; `rounds`: the same by round."""

    counts: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)
    rounds: list[list[float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, others: Sequence["Score"]) -> None:
        """Add the results of one round."""
        for other in others:
            self.counts += other.counts
            self.failures += other.failures
        self.rounds.append([took for other in others for took in other.milliseconds])


def truth(lab: Lab) -> Section:
    stories = life_stories(lab.of(STORIES, at_least=10), seed="truth")
    lab.model.teach(book_of(told for story in stories for told in story.told))
    scores: dict[str, Score] = {}
    with lab.all_running() as systems:
        for place in range(lab.rounds):
            for system in systems:
                say(f"truth: round {place + 1} of {lab.rounds}, {system.name}")
                with ThreadPoolExecutor(_TELLERS) as pool:
                    lived = list(pool.map(partial(_live, system), stories[place :: lab.rounds]))
                scores.setdefault(system.name, Score()).add(lived)
    changes = Counter(told.kind for story in stories for told in story.changes)
    shares = {name: 100 * score.counts[RIGHT] / len(stories) for name, score in scores.items()}
    worst = min(lab.ours(shares), default=None)
    goal = Figure("stories right throughout", worst, "%", Goal(100, at_most=False))
    how = _HOW.format(stories=len(stories), changes=changes.total())
    remarks = [remark for name, score in scores.items() for remark in _remarks(name, score, changes.total())]
    lines = _lines(len(stories), changes, scores)
    return lab.section("Truth after change", how, lines, [goal], remarks)


def _live(system: System, story: Story) -> Score:
    """Tell a story, and check each change. After an error, the rest of the story counts as wrong."""
    life = Score()
    try:
        for told in story.opening:
            system.hand_over(story.user, turn_of(told))
        system.settle(_PATIENCE_SECONDS)
        for told in story.changes:
            _change(system, story, told, life)
        system.settle(_PATIENCE_SECONDS)  # the last change can be right before everything is read
        _look_at_the_end(system, story, life)
    except Exception as failure:  # the error is the result
        life.failures.append(told_of(failure))
    right = sum(life.counts[kind] for kind in {told.kind for told in story.changes})
    whole = right == len(story.changes) and not (life.counts[LOST] or life.counts[BACK] or life.failures)
    life.counts[RIGHT] = int(whole)
    return life


def _look_at_the_end(system: System, story: Story, life: Score) -> None:
    stored, true = system.stored(story.user), story.true_at_the_end()
    life.counts[LOST] = sum(not times_shown(stored, story.forms_of(statement)) for statement in true)
    ended = {told.ends: told.question for told in story.changes if told.ends and told.ends not in true}
    for statement, question in ended.items():
        shown = _shown(system, story, question)
        life.counts[BACK] += times_shown([*stored, *shown], story.forms_of(statement)) > 0


def _change(system: System, story: Story, told: Told, life: Score) -> None:
    """Hand over a change, and fetch until the result is right or everything is read.

    If nothing should change, fetch only when everything is read.
    """
    began = perf_counter()
    system.hand_over(story.user, turn_of(told))
    if not told.ends:
        system.settle(_PATIENCE_SECONDS)
    while True:
        settled = not told.ends or system.is_settled()
        verdict = _look(system, story, told)
        right = all(verdict.values())
        if right or settled:
            break
        if perf_counter() - began > _PATIENCE_SECONDS:
            raise TimeoutError("the turn was not read")
        sleep(_PAUSE_SECONDS)
    if right and told.ends:
        life.milliseconds.append((perf_counter() - began) * 1000)
    life.counts.update({**verdict, told.kind: right, BESIDE: verdict[THERE] and not verdict[GONE]})


def _look(system: System, story: Story, told: Told) -> dict[str, bool]:
    """Check what the model is shown. Without a new statement, none has to be there."""
    lines = _shown(system, story, told.question)
    new = times_shown(lines, story.forms_of(told.says[0])) if told.says else 1
    old = times_shown(lines, story.forms_of(told.ends)) if told.ends else 0
    return {GONE: not old, THERE: new > 0, ONCE: new <= 1}


def _shown(system: System, story: Story, question: str) -> list[str]:
    """Fetch with a unique question, so that no system has its vector in a cache."""
    return system.fetch(story.user, f"Day {next(_NUMBERS)}: {question}")


def _remarks(name: str, score: Score, changes: int) -> Iterator[str]:
    if score.failures:
        yield f"{name}: {len(score.failures)} stories ended with an error, the first: {score.failures[0]}"
    if beside := score.counts[BESIDE]:
        yield f"{name}: after {beside} of {changes} changes the old is still shown{_WHY.get(name, '')}"


def _lines(stories: int, changes: Counter[str], scores: dict[str, Score]) -> list[Line]:
    def count(name: str, what: str, of: int = 100, unit: str = "", better: Better = "more") -> Line:
        return line_of(scores, name, lambda score: [100 * score.counts[what] / of], unit, better)

    def latency(share: float) -> Callable[[Score], Rounds]:
        return lambda score: [percentile(one, share) for one in score.rounds if one] or "never right"

    return [
        count(f"stories right throughout, of {stories}", RIGHT),
        *(count(f"changes with the {what}", what, changes.total(), "%") for what in (GONE, THERE)),
        count(f"changes with {ONCE}", ONCE, changes.total(), "%"),
        *(count(f"right after: {kind}, of {times}", kind) for kind, times in sorted(changes.items())),
        count(LOST, LOST, better="less"),
        count(BACK, BACK, better="less"),
        line_of(scores, "correction latency, p50", latency(0.5), "ms"),
        line_of(scores, "correction latency, p95", latency(0.95), "ms"),
    ]
