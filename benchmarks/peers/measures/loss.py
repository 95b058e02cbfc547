"""Loss: how many facts are lost when answers are truncated and calls repeated."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import compress, zip_longest
from threading import Barrier
from typing import NamedTuple

from benchmarks.peers.scenario import Lab, Line, Rounds, describe, line_of, tally
from benchmarks.peers.stories import Told, Words, book_of, plain_facts, turn_of
from benchmarks.peers.systems import NotThere, System
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say

AT_ONCE = 8
_MOST_TRIES = 3
_SETTLE_SECONDS = 180.0
_SPOILED_EVERY = 10
WRONG = LOST, DUPLICATED, MISPLACED = "lost", "duplicated", "misplaced"
REFUSED, ADMITTED = "calls refused", "turns said to have failed"
BROKEN = "answers broken"
_HOW = (
    "One pass. Facts that never change are handed over, each in its own turn, while something goes wrong; then "
    "everything that is stored is read. Lost: stored nowhere. Duplicated: stored once too often, each time. Misplaced: "
    "stored with another person. A refused call is made again, up to three times. Refused calls and turns that are "
    "said to have failed only explain."
)
People = dict[str, list[Told]]
Handover = tuple[str, Told]  # a person, and what they tell


class Plan(NamedTuple):
    """A trial hands over the facts, and returns counts of refused calls and of what it tested."""

    trial: Callable[[Lab, System, People], dict[str, int]]
    people: int
    facts: int  # of each
    at_least: int = 2  # the fewest people, in a small run


Outcomes = dict[str, dict[str, int] | str]  # counts by system; a text says why there are none


def loss(lab: Lab) -> Section:
    """Make all trials with each system, each trial with new people and facts."""
    outcomes: dict[str, Outcomes] = {title: {} for title in TRIALS}
    for make in lab.systems:
        with lab.noting(make.name), lab.running(make) as system:
            for title, plan in TRIALS.items():
                say(f"loss: {title}, {system.name}")
                count = lab.of(plan.people, at_least=plan.at_least)
                people = _people(f"{system.name} {title}", count, plan.facts)
                outcomes[title][system.name] = _outcome(lab, system, plan, people)
    wrong = Counter[str]()
    silent = []
    for title, by_system in outcomes.items():
        for name, one in by_system.items():
            if isinstance(one, str):
                wrong[name] += 1  # a failed trial counts as one wrong fact
                continue
            wrong[name] += sum(one[what] for what in WRONG)
            if one[LOST] > one[REFUSED] + one[ADMITTED]:
                told = f"{one[LOST]} facts were lost, and neither a call nor the system said so"
                silent.append(f"{name}, {title}: {told}")
    return lab.section(
        "Loss",
        _HOW,
        [line for title, by_system in outcomes.items() for line in _lines(title, by_system)],
        [Figure("facts lost, duplicated or misplaced", max(lab.ours(wrong), default=None), goal=Goal(0))],
        silent,
    )


def _people(seed: str, count: int, facts: int) -> People:
    words = Words(seed)
    prefix = "-".join(seed.replace(",", "").split())
    return {f"{prefix}-{number:02d}": plain_facts(facts, words) for number in range(count)}


def _outcome(lab: Lab, system: System, plan: Plan, people: People) -> dict[str, int] | str:
    lab.model.teach(book_of(told for facts in people.values() for told in facts))
    try:
        noted = plan.trial(lab, system, people)
        system.settle(_SETTLE_SECONDS)
        stored = {user: system.stored(user) for user in people}
        noted[ADMITTED] = sum(len(system.failed(user)) for user in people)
    except NotThere as missing:
        return str(missing)
    except Exception as failure:  # the error is the result
        return describe(failure)
    expected = {user: [(told.says[0], told.message) for told in facts] for user, facts in people.items()}
    return {**dict(zip(WRONG, tally(expected, stored), strict=True)), **noted}


def _spoiled(lab: Lab, system: System, people: People) -> dict[str, int]:
    """Truncate every tenth answer of the model."""
    lab.model.reset()
    lab.model.spoil(_SPOILED_EVERY)
    try:
        refusals = _hand_over_again(system, _hand_over(system, _handovers(people), clients=1))
        system.settle(_SETTLE_SECONDS)
        broken = lab.model.counts(system.name)["malformed"]
    finally:
        lab.model.spoil(0)
    if not broken:
        raise NotThere("no answer was broken")
    return {REFUSED: refusals, BROKEN: broken}


def _all_at_once(lab: Lab, system: System, people: People) -> dict[str, int]:
    """Make AT_ONCE equal calls for each fact at the same time."""
    refusals = 0
    for user, facts in people.items():
        for told in facts:
            refusals += _hand_over_again(system, _hand_over(system, [(user, told)] * AT_ONCE))
    return {REFUSED: refusals}


def _handovers(people: People) -> list[Handover]:
    """The first fact of each person, then the second of each, and so on."""
    rows = zip_longest(*([(user, told) for told in facts] for user, facts in people.items()))
    return [turn for row in rows for turn in row if turn is not None]


def _hand_over(system: System, turns: Sequence[Handover], *, clients: int = AT_ONCE) -> list[Handover]:
    """Hand the turns over, and return those that were refused. With as many clients as turns, all begin at once."""
    ready = Barrier(len(turns) if clients == len(turns) else 1)

    def is_refused(turn: Handover) -> bool:
        user, told = turn
        ready.wait()
        try:
            system.hand_over(user, turn_of(told))
        except Exception:  # each system's client has its own errors
            return True
        return False

    with ThreadPoolExecutor(clients) as pool:
        return list(compress(turns, pool.map(is_refused, turns)))


def _hand_over_again(system: System, refused: Sequence[Handover]) -> int:
    """Hand refused turns over again, up to _MOST_TRIES times. Return how often turns were refused in all."""
    refusals = 0
    for _ in range(_MOST_TRIES):
        refusals += len(refused)
        refused = _hand_over(system, refused) if refused else ()
    return refusals


# The first needs ten people, so that a system that reads several turns in one call makes ten calls.
TRIALS: dict[str, Plan] = {
    "malformed JSON on every tenth answer": Plan(_spoiled, 10, 10, at_least=_SPOILED_EVERY),
    f"{AT_ONCE} equal calls at once": Plan(_all_at_once, 5, 2),
}


def _lines(title: str, by_system: Outcomes) -> list[Line]:
    def rounds(outcome: dict[str, int] | str, what: str) -> Rounds:
        return outcome if isinstance(outcome, str) else [float(outcome[what])]

    counted = [what for outcome in by_system.values() if not isinstance(outcome, str) for what in outcome]
    return [
        line_of(
            by_system,
            f"{title}: {what}",
            partial(rounds, what=what),
            better="less" if what in WRONG else None,
        )
        for what in dict.fromkeys((*WRONG, *counted))
    ]
