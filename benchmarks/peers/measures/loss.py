"""Loss: what becomes of facts when answers are broken, processes killed and calls repeated."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from benchmarks.peers.measures.killing import kill_at_call
from benchmarks.peers.scenario import (
    AT_ONCE,
    Deed,
    Lab,
    Line,
    Rounds,
    Tally,
    hand_over,
    insist,
    section_of,
    tally,
)
from benchmarks.peers.stories import Told, Words, book_of, plain_facts
from benchmarks.peers.systems import NotThere, System
from benchmarks.report import Figure, Goal, Section

_PATIENCE_SECONDS = 180.0
_SPOILED_EVERY = 10
_MODEL_MILLISECONDS = 600  # while processes are killed, so that there is a middle of a write
_CALLS = 3  # a process is killed at the model's first call, at its second and at its third
_AFTER_CALL_SECONDS = (0.0, 0.3, 0.5)  # at its beginning, in its middle, shortly before its end
BROKEN, MET = "answers broken", "kills that met something under way"

People = dict[str, list[Told]]


class Course(NamedTuple):
    refused: int  # calls, on the way
    noted: Mapping[str, int] = {}  # how often what the trial is about came about


# A trial hands everything over.
Trial = Callable[[Lab, System, People], Course]


class Plan(NamedTuple):
    trial: Trial
    people: int
    facts: int  # of each
    at_least: int = 2  # people, in a small run


class NothingHappened(Exception):
    """What was to go wrong did not, so the trial shows nothing. The message says it, for the report."""


class Outcome(NamedTuple):
    tally: Tally
    refused: int
    admitted: int  # turns of which the system itself says that they failed
    noted: Mapping[str, int]


_HOW = (
    "One pass. Facts that never change are handed over, each in a turn of its own, while something goes wrong; at the "
    "end everything that is stored about everybody is read. Lost: stored nowhere. Duplicated: each time that a fact is "
    "stored once too often. Misplaced: stored with somebody else. A call that is refused is handed over again, up to "
    "three times. Of these systems Rapport alone has idempotency keys; the others are called as ever. Refused calls "
    "and turns that are said to have failed only explain: both are honest. {kills} kills, one a person: when "
    "the model has begun the first, second or third call about them, in turn. A kill met something if a call was under "
    "way, or something handed over was not remembered yet."
)


def loss(lab: Lab) -> Section:
    """A trial after the other, each with people and facts of its own, the systems in turn."""
    outcomes: dict[str, dict[str, Outcome | str]] = {title: {} for title in TRIALS}
    for make in lab.systems:
        with lab.noting(make.name), lab.running(make) as system:
            for title, plan in TRIALS.items():
                lab.say(f"loss: {title}, {system.name}")
                count = lab.of(plan.people, at_least=plan.at_least)
                people = _people(f"{system.name} {title}", count, plan.facts)
                outcomes[title][system.name] = _outcome(lab, system, plan.trial, people)
    kills = lab.of(TRIALS[_KILLS].people, at_least=TRIALS[_KILLS].at_least)
    return section_of(
        lab,
        "loss",
        "Loss",
        _HOW.format(kills=kills),
        [line for title, by_system in outcomes.items() for line in _lines(title, by_system)],
        [
            Figure("facts lost, duplicated or misplaced", _most_wrong(lab, outcomes), goal=Goal(0)),
            Figure(MET, _fewest_met(lab, outcomes[_KILLS]), goal=Goal(kills, at_most=False)),
        ],
        _remarks(outcomes),
    )


def _people(seed: str, count: int, facts: int) -> People:
    words = Words(seed)
    prefix = "-".join(seed.replace(",", "").split())
    return {f"{prefix}-{number:02d}": plain_facts(facts, words) for number in range(count)}


def _outcome(lab: Lab, system: System, trial: Trial, people: People) -> Outcome | str:
    lab.model.teach(book_of(told for facts in people.values() for told in facts))
    try:
        course = trial(lab, system, people)
        system.settle(_PATIENCE_SECONDS)
        stored = {user: system.stored(user) for user in people}
        admitted = sum(len(system.failed(user)) for user in people)
    except (NotThere, NothingHappened) as missing:
        return str(missing)
    except Exception as failure:  # a peer's own error is a result of the measure, not its end
        return f"{type(failure).__name__}: {failure}"[:200]
    expected = {user: [(told.says[0], told.message) for told in facts] for user, facts in people.items()}
    return Outcome(tally(expected, stored), course.refused, admitted, course.noted)


def _spoiled(lab: Lab, system: System, people: People) -> Course:
    """Every tenth answer of the model breaks off in the middle of its JSON. Raises NothingHappened."""
    lab.model.reset()
    lab.model.spoil(_SPOILED_EVERY)
    try:
        refused = hand_over(system, _deeds(people), clients=1)
        refusals = insist(system, refused)
        system.settle(_PATIENCE_SECONDS)
        broken = lab.model.counts(system.name).malformed
    finally:
        lab.model.spoil(0)
    if not broken:
        raise NothingHappened("no answer was broken")
    return Course(refusals, {BROKEN: broken})


def _all_at_once(lab: Lab, system: System, people: People, *, with_key: bool) -> Course:
    """Each fact is told by several equal calls at the same moment."""
    refusals = 0
    for user, facts in people.items():
        for place, told in enumerate(facts):
            deeds = [Deed(user, told, f"{user}-{place}" if with_key else None)] * AT_ONCE
            refusals += insist(system, hand_over(system, deeds, together=True))
    return Course(refusals)


def _killed(lab: Lab, system: System, people: People) -> Course:
    """In the middle of each person's facts everything that writes is killed, and started again."""
    refusals = met = 0
    for place, (user, facts) in enumerate(people.items()):
        turn, nth = divmod(place, _CALLS)
        after = _AFTER_CALL_SECONDS[turn % len(_AFTER_CALL_SECONDS)]
        with _slow_model(lab):
            killed = kill_at_call(lab, system, _deeds({user: facts}), nth=nth + 1, after=after)
        system.start_again()
        refusals += insist(system, killed.refused)
        system.settle(_PATIENCE_SECONDS)  # so that the next kill meets the next person's calls
        met += killed.met
    return Course(refusals, {MET: met})


@contextmanager
def _slow_model(lab: Lab) -> Iterator[None]:
    lab.model.slow_down(_MODEL_MILLISECONDS)
    try:
        yield
    finally:
        lab.model.slow_down(0)


def _deeds(people: People) -> list[Deed]:
    """Everybody's facts, the first of each, then the second of each, and so on; each call with a key."""
    rows = zip_longest(
        *([Deed(user, told, told.message) for told in facts] for user, facts in people.items())
    )
    return [deed for row in rows for deed in row if deed is not None]


_EVERY_TENTH, _KILLS = "malformed JSON on every tenth answer", "kill -9 in mid-write"
# What happens, to how many people, with how many facts each.
TRIALS: dict[str, Plan] = {
    _EVERY_TENTH: Plan(_spoiled, 10, 10, at_least=_SPOILED_EVERY),  # who batches still makes a call a person
    f"{AT_ONCE} equal calls at once": Plan(partial(_all_at_once, with_key=False), 5, 2),
    f"{AT_ONCE} equal calls at once, with an idempotency key": Plan(
        partial(_all_at_once, with_key=True), 5, 2
    ),
    _KILLS: Plan(_killed, 12, 8, at_least=_CALLS),
}


def _most_wrong(lab: Lab, outcomes: dict[str, dict[str, Outcome | str]]) -> float | None:
    """Of Rapport's systems, the worst; a trial that could not be made counts as a fact."""
    wrong: dict[str, float] = {}
    for by_system in outcomes.values():
        for name, outcome in by_system.items():
            wrong[name] = wrong.get(name, 0) + (1 if isinstance(outcome, str) else sum(outcome.tally))
    return max(lab.ours(wrong), default=None)


def _fewest_met(lab: Lab, by_system: dict[str, Outcome | str]) -> float | None:
    met = {n: 0.0 if isinstance(one, str) else float(one.noted[MET]) for n, one in by_system.items()}
    return min(lab.ours(met), default=None)


def _remarks(outcomes: dict[str, dict[str, Outcome | str]]) -> list[str]:
    """What was lost without anybody being told."""
    return [
        f"{name}, {title}: {outcome.tally.lost} facts were lost, and neither a call nor the system said so"
        for title, by_system in outcomes.items()
        for name, outcome in by_system.items()
        if isinstance(outcome, Outcome) and outcome.tally.lost > outcome.refused + outcome.admitted
    ]


def _lines(title: str, by_system: dict[str, Outcome | str]) -> list[Line]:
    def values(pick: Callable[[Outcome], int]) -> dict[str, Rounds]:
        return {
            name: outcome if isinstance(outcome, str) else [float(pick(outcome))]
            for name, outcome in by_system.items()
        }

    made = [outcome for outcome in by_system.values() if isinstance(outcome, Outcome)]
    noted = list(dict.fromkeys(what for outcome in made for what in outcome.noted))
    return [
        Line(f"{title}: lost", "", values(lambda outcome: outcome.tally.lost)),
        Line(f"{title}: duplicated", "", values(lambda outcome: outcome.tally.duplicated)),
        Line(f"{title}: misplaced", "", values(lambda outcome: outcome.tally.misplaced)),
        Line(f"{title}: calls refused", "", values(lambda outcome: outcome.refused), better=None),
        Line(
            f"{title}: turns said to have failed", "", values(lambda outcome: outcome.admitted), better=None
        ),
        *(Line(f"{title}: {what}", "", values(_noted(what)), better=None) for what in noted),
    ]


def _noted(what: str) -> Callable[[Outcome], int]:
    return lambda outcome: outcome.noted[what]
