"""Loss: how many facts are lost when answers are truncated, processes killed and calls repeated."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from time import monotonic, sleep
from typing import NamedTuple

from benchmarks.peers.scenario import (
    AT_ONCE,
    Handover,
    Lab,
    Line,
    Rounds,
    accepted,
    describe,
    hand_over,
    hand_over_again,
    line_of,
    tally,
)
from benchmarks.peers.stories import Told, Words, book_of, plain_facts
from benchmarks.peers.systems import NotThere, System
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say

_SETTLE_SECONDS = 180.0
_SPOILED_EVERY = 10
_MODEL_MILLISECONDS = 600  # long enough to kill processes in the middle
_CALLS = 3  # processes are killed during the model's first, second or third call
_AFTER_CALL_SECONDS = (0.0, 0.3, 0.5)  # at the beginning of the call, in its middle, shortly before its end
_KILL_CLIENTS, _CALL_SECONDS, _POLL_SECONDS = 4, 30.0, 0.003
WRONG = LOST, DUPLICATED, MISPLACED = "lost", "duplicated", "misplaced"
REFUSED, ADMITTED = "calls refused", "turns said to have failed"
BROKEN, MET = "answers broken", "kills that met something under way"
_HOW = (
    "One pass. Facts that never change are handed over, each in its own turn, while something goes wrong; then "
    "everything that is stored is read. Lost: stored nowhere. Duplicated: stored once too often, each time. Misplaced: "
    "stored with another person. A refused call is made again, up to three times. Of these systems only Rapport has "
    "idempotency keys. Refused calls and turns that are said to have failed only explain. {kills} kills, one a person, "
    "when the model has begun the first, second or third call about them. A kill met something if a call was in "
    "progress, or a turn was not remembered yet."
)
People = dict[str, list[Told]]


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
    kills = lab.of(TRIALS[_KILLS].people, at_least=TRIALS[_KILLS].at_least)
    met = {name: 0.0 if isinstance(one, str) else one[MET] for name, one in outcomes[_KILLS].items()}
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
        _HOW.format(kills=kills),
        [line for title, by_system in outcomes.items() for line in _lines(title, by_system)],
        [
            Figure("facts lost, duplicated or misplaced", max(lab.ours(wrong), default=None), goal=Goal(0)),
            Figure(MET, min(lab.ours(met), default=None), goal=Goal(kills, at_most=False)),
        ],
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
        refusals = hand_over_again(system, hand_over(system, _handovers(people), clients=1))
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
            turns = [Handover(user, told)] * AT_ONCE
            refusals += hand_over_again(system, hand_over(system, turns))
    return {REFUSED: refusals}


def _killed(lab: Lab, system: System, people: People) -> dict[str, int]:
    """Kill the system's processes once while each person's facts are handed over, and start them again."""
    refusals = met = 0
    for place, (user, facts) in enumerate(people.items()):
        round_number, nth = divmod(place, _CALLS)
        after = _AFTER_CALL_SECONDS[round_number % len(_AFTER_CALL_SECONDS)]
        lab.model.slow_down(_MODEL_MILLISECONDS)
        try:
            refused, met_one = _kill_at_call(lab, system, _handovers({user: facts}), nth=nth + 1, after=after)
        finally:
            lab.model.slow_down(0)
        system.start_again()
        refusals += hand_over_again(system, refused)
        system.settle(_SETTLE_SECONDS)  # so that the next kill meets the next person's calls
        met += met_one
    return {REFUSED: refusals, MET: met}


def _kill_at_call(
    lab: Lab, system: System, turns: Sequence[Handover], *, nth: int, after: float
) -> tuple[list[Handover], bool]:
    """kill -9 the system `after` seconds of the model's `nth` call.

    Return the refused turns, and whether anything was in progress: a call of ours, or a turn not yet remembered. For
    systems that read several turns in one call, each further part of the turns waits for another call to begin.
    """
    asks_embeddings_only = not lab.model.counts(system.name)["calls"]  # so far
    lab.model.reset()
    calls: list[tuple[Handover, Future[bool]]] = []

    def begun() -> int:
        counts = lab.model.counts(system.name)
        return counts["calls"] or (counts["embedding_calls"] if asks_embeddings_only else 0)

    def is_over() -> bool:
        return all(call.done() for _, call in calls) and system.is_settled()

    def reaches(number: int) -> bool:
        """Wait until this many calls have begun; return False if everything is over before."""
        deadline = monotonic() + _CALL_SECONDS
        while begun() < number and monotonic() < deadline and not is_over():
            sleep(_POLL_SECONDS)
        return begun() >= number

    with ThreadPoolExecutor(_KILL_CLIENTS) as pool:
        for number in range(nth):
            reaches(number)
            calls += [(turn, pool.submit(accepted, system, turn)) for turn in turns[number::nth]]
        came = reaches(nth)
        sleep(after)
        met = came and not is_over()
        system.kill()
    return [turn for turn, call in calls if not call.result()], met


def _handovers(people: People) -> list[Handover]:
    """The first fact of each person, then the second of each, and so on, with idempotency keys."""
    rows = zip_longest(
        *([Handover(user, told, told.message) for told in facts] for user, facts in people.items())
    )
    return [turn for row in rows for turn in row if turn is not None]


_KILLS = "kill -9 in mid-write"
# The first needs ten people, so that a system that reads several turns in one call makes ten calls.
TRIALS: dict[str, Plan] = {
    "malformed JSON on every tenth answer": Plan(_spoiled, 10, 10, at_least=_SPOILED_EVERY),
    f"{AT_ONCE} equal calls at once": Plan(_all_at_once, 5, 2),
    _KILLS: Plan(_killed, 12, 8, at_least=_CALLS),
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
