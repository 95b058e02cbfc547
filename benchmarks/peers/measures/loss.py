"""Loss: what becomes of facts when answers are broken, processes killed, calls repeated and workers doubled."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import zip_longest
from typing import NamedTuple

from benchmarks.peers.field import Field
from benchmarks.peers.findings import Finding, Goal, Line, Rounds
from benchmarks.peers.measures.clients import (
    AT_ONCE,
    Deed,
    hand_over,
    hand_over_at_once,
    insist,
    ours,
    storing,
)
from benchmarks.peers.measures.killing import kill_at_call, kill_at_intake
from benchmarks.peers.measures.shown import Forms, Tally, tally
from benchmarks.peers.stories import Told, book_of, plain_facts
from benchmarks.peers.systems.base import NotThere, System
from benchmarks.peers.words import Words

_PATIENCE_SECONDS = 180.0
_SPOILED_EVERY = 10
_MODEL_MILLISECONDS = 300  # while processes are killed, so that there is a middle of a write
_CALLS = (
    3  # a process is killed at the model's first call, at its second and at its third; and once at the intake
)
_AFTER_CALL_SECONDS = (0.0, 0.15, 0.29)  # at its beginning, in its middle, shortly before its end
_AFTER_INTAKE_SECONDS = (0.0, 0.001, 0.002)
BROKEN, MET = "answers broken", "kills that met something under way"

People = dict[str, list[Told]]


class Course(NamedTuple):
    refused: int  # calls, on the way
    noted: Mapping[str, int] = {}  # how often what the trial is about came about


# A trial hands everything over.
Trial = Callable[[Field, System, People], Course]


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


def measure(field: Field) -> Finding:
    """A trial after the other, each with people and facts of its own, the systems in turn."""
    outcomes: dict[str, dict[str, Outcome | str]] = {title: {} for title in TRIALS}
    remarks: list[str] = []
    for make in storing(field):
        try:
            with field.running(make) as system:
                _try(field, system, outcomes)
        except Exception as failure:  # a peer's own error is a result of the measure, not its end
            remarks.append(f"{getattr(make, 'name', make)} did not start: {failure}"[:300])
    return _finding(field, outcomes, remarks)


def _try(field: Field, system: System, outcomes: dict[str, dict[str, Outcome | str]]) -> None:
    for title, plan in TRIALS.items():
        field.say(f"loss: {title}, {system.name}")
        crowd = _people(f"{system.name} {title}", _size(field, plan), plan.facts)
        outcomes[title][system.name] = _outcome(field, system, plan.trial, crowd)


def _size(field: Field, plan: Plan) -> int:
    return field.scale.of(plan.people, at_least=plan.at_least)


def _people(seed: str, count: int, facts: int) -> People:
    words = Words(seed)
    prefix = "-".join(seed.replace(",", "").split())
    return {f"{prefix}-{number:02d}": plain_facts(facts, words) for number in range(count)}


def _outcome(field: Field, system: System, trial: Trial, people: People) -> Outcome | str:
    field.model.teach(book_of(told for facts in people.values() for told in facts))
    try:
        course = trial(field, system, people)
        system.settle(_PATIENCE_SECONDS)
        stored = {user: system.stored(user) for user in people}
        admitted = sum(len(system.failed(user)) for user in people)
    except (NotThere, NothingHappened) as missing:
        return str(missing)
    except Exception as failure:  # a peer's own error is a result of the measure, not its end
        return f"{type(failure).__name__}: {failure}"[:200]
    expected: dict[str, list[Forms]] = {
        user: [(told.says[0], told.message) for told in facts] for user, facts in people.items()
    }
    return Outcome(tally(expected, stored), course.refused, admitted, course.noted)


def _spoiled(field: Field, system: System, people: People) -> Course:
    """Every tenth answer of the model breaks off in the middle of its JSON. Raises NothingHappened."""
    field.model.reset()
    field.model.spoil(_SPOILED_EVERY)
    try:
        refused = hand_over(system, _deeds(people), clients=1)
        refusals = insist(system, refused)
        system.settle(_PATIENCE_SECONDS)
        broken = field.model.counts(system.name).malformed
    finally:
        field.model.spoil(0)
    if not broken:
        raise NothingHappened("no answer was broken")
    return Course(refusals, {BROKEN: broken})


def _equal(field: Field, system: System, people: People) -> Course:
    return Course(
        sum(
            insist(system, hand_over_at_once(system, [Deed(user, told, None)] * AT_ONCE))
            for user, facts in people.items()
            for told in facts
        )
    )


def _equal_with_key(field: Field, system: System, people: People) -> Course:
    return Course(
        sum(
            insist(system, hand_over_at_once(system, [Deed(user, told, f"{user}-{place}")] * AT_ONCE))
            for user, facts in people.items()
            for place, told in enumerate(facts)
        )
    )


def _two_workers(field: Field, system: System, people: People) -> Course:
    """Everybody talks at once, and two processes write."""
    system.add_workers(2)
    return Course(insist(system, hand_over(system, _deeds(people))))


def _killed(field: Field, system: System, people: People) -> Course:
    """In the middle of each person's facts everything that writes is killed, and started again."""
    refusals = met = 0
    for place, (user, facts) in enumerate(people.items()):
        turn, nth = divmod(place, _CALLS + 1)
        deeds = _deeds({user: facts})
        with _slow_model(field):
            if nth:
                after = _AFTER_CALL_SECONDS[turn % len(_AFTER_CALL_SECONDS)]
                killed = kill_at_call(field, system, deeds, nth=nth, after=after)
            else:
                after = _AFTER_INTAKE_SECONDS[turn % len(_AFTER_INTAKE_SECONDS)]
                killed = kill_at_intake(system, deeds, after=after)
        system.start_again()
        refusals += insist(system, killed.refused)
        system.settle(_PATIENCE_SECONDS)  # so that the next kill meets the next person's calls
        met += killed.met
    return Course(refusals, {MET: met})


@contextmanager
def _slow_model(field: Field) -> Iterator[None]:
    field.model.slow_down(_MODEL_MILLISECONDS)
    try:
        yield
    finally:
        field.model.slow_down(0)


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
    f"{AT_ONCE} equal calls at once": Plan(_equal, 5, 2),
    f"{AT_ONCE} equal calls at once, with an idempotency key": Plan(_equal_with_key, 5, 2),
    "two workers": Plan(_two_workers, 8, 10),
    _KILLS: Plan(_killed, 12, 8, at_least=_CALLS + 1),
}


def _finding(field: Field, outcomes: dict[str, dict[str, Outcome | str]], remarks: list[str]) -> Finding:
    lines = [line for title, by_system in outcomes.items() for line in _lines(title, by_system)]
    kills = _size(field, TRIALS[_KILLS])
    return Finding(
        "loss",
        "Loss",
        "One pass. Facts that never change are handed over, each in a turn of its own, while something goes wrong; at "
        "the end everything that is stored about everybody is read. Lost: stored nowhere. Duplicated: each time that a "
        "fact is stored once too often. Misplaced: stored with somebody else. A call that is refused is handed over "
        "again, up to three times. Of these systems Rapport alone has idempotency keys; the others are called as ever. "
        "Refused calls and turns that are said to have failed only explain: both are honest. "
        f"{kills} kills, one a person: in turn while turns are handed over, and when the model has begun the first, "
        "second or third call about them. A kill met something if a call under way was cut off, or something handed "
        "over was not remembered yet.",
        lines=lines,
        goals=[
            Goal("facts lost, duplicated or misplaced", _most_wrong(field, outcomes), 0.0),
            Goal(MET, _fewest_met(field, outcomes[_KILLS]), float(kills), at_most=False),
        ],
        remarks=[*remarks, *_remarks(outcomes)],
    )


def _most_wrong(field: Field, outcomes: dict[str, dict[str, Outcome | str]]) -> float | None:
    """Of Rapport's systems, the worst; a trial that could not be made counts as a fact."""
    trials = [ours(field, by_system) for by_system in outcomes.values()]
    each = [
        sum(sum(outcome.tally) if isinstance(outcome, Outcome) else 1 for outcome in of_system)
        for of_system in zip(*trials, strict=False)
    ]
    return float(max(each)) if each else None


def _fewest_met(field: Field, by_system: dict[str, Outcome | str]) -> float | None:
    met = [outcome.noted[MET] if isinstance(outcome, Outcome) else 0 for outcome in ours(field, by_system)]
    return float(min(met)) if met else None


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
