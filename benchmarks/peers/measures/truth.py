"""Truth after change: whether the model is still shown what the person took back, corrected or wanted forgotten."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count

from benchmarks.peers.scenario import Lab, Line, describe, times_shown
from benchmarks.peers.stories import Story, Told, book_of, life_stories, turn_of
from benchmarks.peers.systems import System
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say

STORIES = 200
_TELLERS = 4
_HOW = (
    "{stories} generated stories with {changes} changes, told to each system in interleaved rounds, "
    f"{_TELLERS} people talking at once. After each change the person asks about it, and the model must be shown the "
    "new value, once, and not the old one. At the end of a story, every ended statement is looked for in what is "
    "stored and shown, and every true one in what is stored. The model is faultless within what each system's prompt "
    "shows and its answer can say. Messages of the conversation itself are not counted."
)
_SETTLE_SECONDS = 60.0
_NUMBERS = count(1)
OLD, NEW = "changes after which the old value is shown", "changes after which the new value is not shown"
TWICE = "changes after which the new value is shown more than once"
LOST, BACK = "other facts lost on the way", "ended statements that came back, or never went"
ERRORS = "stories that ended with an error"
FAULTS = (OLD, NEW, TWICE, LOST, BACK, ERRORS)


def truth(lab: Lab) -> Section:
    stories = life_stories(lab.of(STORIES, at_least=10), seed="truth")
    lab.model.teach(book_of(told for story in stories for told in story.told))
    faults: dict[str, list[Counter[str]]] = {}  # of each story
    errors: dict[str, str] = {}
    with lab.all_running() as systems:
        for place in range(lab.rounds):
            for system in systems:
                say(f"truth: round {place + 1} of {lab.rounds}, {system.name}")
                tell = partial(_tell, system, errors)
                with ThreadPoolExecutor(_TELLERS) as pool:
                    faults.setdefault(system.name, []).extend(pool.map(tell, stories[place :: lab.rounds]))
    right = {name: float(sum(not one.total() for one in each)) for name, each in faults.items()}
    worst = min(lab.ours({name: 100 * one / len(stories) for name, one in right.items()}), default=None)
    goal = Figure("stories right throughout", worst, "%", Goal(100, at_most=False))
    changes = sum(len(story.changes) for story in stories)
    lines = [
        Line(
            f"stories right throughout, of {len(stories)}", "", {n: [one] for n, one in right.items()}, "more"
        ),
        *(
            Line(fault, "", {name: [float(sum(one[fault] for one in each))] for name, each in faults.items()})
            for fault in FAULTS
        ),
    ]
    remarks = [f"{name}: a story ended with {error}" for name, error in errors.items()]
    how = _HOW.format(stories=len(stories), changes=changes)
    return lab.section("Truth after change", how, lines, [goal], remarks)


def _tell(system: System, errors: dict[str, str], story: Story) -> Counter[str]:
    """Tell a story, and count its faults. An error is a fault, and is added to `errors`."""
    faults = Counter[str]()
    try:
        for told in story.opening:
            system.hand_over(story.user, turn_of(told))
        system.settle(_SETTLE_SECONDS)
        for told in story.changes:
            system.hand_over(story.user, turn_of(told))
            system.settle(_SETTLE_SECONDS)
            faults.update(_after_change(system, story, told))
        faults.update(_at_the_end(system, story))
    except Exception as failure:
        faults[ERRORS] += 1
        errors[system.name] = describe(failure)
    return faults


def _after_change(system: System, story: Story, told: Told) -> Iterator[str]:
    """The faults in what the model is shown. Without a new statement, none has to be there."""
    shown = _shown(system, story, told.question)
    new = times_shown(shown, story.forms_of(told.says[0])) if told.says else 1
    if told.ends and times_shown(shown, story.forms_of(told.ends)):
        yield OLD
    if new != 1:
        yield TWICE if new else NEW


def _at_the_end(system: System, story: Story) -> Iterator[str]:
    stored, true = system.stored(story.user), story.true_at_the_end()
    for statement in true:
        if not times_shown(stored, story.forms_of(statement)):
            yield LOST
    ended = {told.ends: told.question for told in story.changes if told.ends and told.ends not in true}
    for statement, question in ended.items():
        if times_shown([*stored, *_shown(system, story, question)], story.forms_of(statement)):
            yield BACK


def _shown(system: System, story: Story, question: str) -> list[str]:
    """Fetch with a unique question, so that no system has its vector in a cache."""
    return system.fetch(story.user, f"Day {next(_NUMBERS)}: {question}")
