"""Loss: what becomes of facts when answers are broken, processes killed, calls repeated and workers doubled."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from threading import Timer
from typing import NamedTuple

from benchmarks.peers.field import Field
from benchmarks.peers.findings import Finding, Goal, Line, Rounds
from benchmarks.peers.measures.clients import AT_ONCE, Deed, hand_over, hand_over_at_once, insist, storing
from benchmarks.peers.measures.shown import Forms, Tally, tally
from benchmarks.peers.stories import Told, book_of, plain_facts
from benchmarks.peers.systems.base import NotThere, System
from benchmarks.peers.words import Words

OURS = "rapport"
_PATIENCE_SECONDS = 180.0
_SPOILED_EVERY = 10
_MODEL_MILLISECONDS = 300  # while processes are killed, so that there is a middle of a write
_KILL_AFTER_SECONDS = (0.15, 0.45, 0.75, 1.05)

People = dict[str, list[Told]]
# A trial hands everything over and answers how many calls were refused on the way.
Trial = Callable[[Field, System, People], int]


class Outcome(NamedTuple):
    tally: Tally
    refused: int
    admitted: int  # turns of which the system itself says that they failed


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
    return _finding(outcomes, remarks)


def _try(field: Field, system: System, outcomes: dict[str, dict[str, Outcome | str]]) -> None:
    for title, (trial, people, facts) in TRIALS.items():
        field.say(f"loss: {title}, {system.name}")
        crowd = _people(f"{system.name} {title}", field.scale.of(people, at_least=2), facts)
        outcomes[title][system.name] = _outcome(field, system, trial, crowd)


def _people(seed: str, count: int, facts: int) -> People:
    words = Words(seed)
    prefix = "-".join(seed.replace(",", "").split())
    return {f"{prefix}-{number:02d}": plain_facts(facts, words) for number in range(count)}


def _outcome(field: Field, system: System, trial: Trial, people: People) -> Outcome | str:
    field.model.teach(book_of(told for facts in people.values() for told in facts))
    try:
        refused = trial(field, system, people)
        system.settle(_PATIENCE_SECONDS)
        stored = {user: system.stored(user) for user in people}
        admitted = sum(len(system.failed(user)) for user in people)
    except NotThere as missing:
        return str(missing)
    except Exception as failure:  # a peer's own error is a result of the measure, not its end
        return f"{type(failure).__name__}: {failure}"[:200]
    expected: dict[str, list[Forms]] = {
        user: [(told.says[0], told.message) for told in facts] for user, facts in people.items()
    }
    return Outcome(tally(expected, stored), refused, admitted)


def _spoiled(field: Field, system: System, people: People) -> int:
    """Every tenth answer of the model breaks off in the middle of its JSON."""
    field.model.spoil(_SPOILED_EVERY)
    try:
        refused = hand_over(system, _deeds(people), clients=1)
        refusals = insist(system, refused)
        system.settle(_PATIENCE_SECONDS)
    finally:
        field.model.spoil(0)
    return refusals


def _equal(field: Field, system: System, people: People) -> int:
    return sum(
        insist(system, hand_over_at_once(system, [Deed(user, told, None)] * AT_ONCE))
        for user, facts in people.items()
        for told in facts
    )


def _equal_with_key(field: Field, system: System, people: People) -> int:
    return sum(
        insist(system, hand_over_at_once(system, [Deed(user, told, f"{user}-{place}")] * AT_ONCE))
        for user, facts in people.items()
        for place, told in enumerate(facts)
    )


def _two_workers(field: Field, system: System, people: People) -> int:
    """Everybody talks at once, and two processes write."""
    system.add_workers(2)
    return insist(system, hand_over(system, _deeds(people)))


def _killed(field: Field, system: System, people: People) -> int:
    """In the middle of each person's facts everything that writes is killed, and started again."""
    refusals = 0
    for place, (user, facts) in enumerate(people.items()):
        with _slow_model(field):
            after = _KILL_AFTER_SECONDS[place % len(_KILL_AFTER_SECONDS)]
            killer = Timer(after, system.kill)
            killer.start()
            refused = hand_over(system, _deeds({user: facts}), clients=AT_ONCE // 2)
            killer.join()
        system.start_again()
        refusals += insist(system, refused)
    return refusals


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


# What happens, to how many people, with how many facts each.
TRIALS: dict[str, tuple[Trial, int, int]] = {
    "malformed JSON on every tenth answer": (_spoiled, 10, 10),
    f"{AT_ONCE} equal calls at once": (_equal, 5, 2),
    f"{AT_ONCE} equal calls at once, with an idempotency key": (_equal_with_key, 5, 2),
    "two workers": (_two_workers, 8, 10),
    "kill -9 in mid-write": (_killed, 4, 8),
}


def _finding(outcomes: dict[str, dict[str, Outcome | str]], remarks: list[str]) -> Finding:
    lines = [line for title, by_system in outcomes.items() for line in _lines(title, by_system)]
    ours = [by_system[OURS] for by_system in outcomes.values() if OURS in by_system]
    bad = [sum(outcome.tally) if isinstance(outcome, Outcome) else 1 for outcome in ours]
    return Finding(
        "loss",
        "Loss",
        "Facts that never change are handed over, each in a turn of its own, while something goes wrong; at the end "
        "everything that is stored about everybody is read. Lost: stored nowhere. Duplicated: each time that a fact is "
        "stored once too often. Misplaced: stored with somebody else. A call that is refused is handed over again, "
        "up to three times. Of these systems Rapport alone has idempotency keys; the others are called as ever. "
        "Refused calls and turns that are said to have failed only explain: both are honest.",
        lines=lines,
        goals=[Goal("facts lost, duplicated or misplaced", float(sum(bad)) if ours else None, 0.0)],
        remarks=[*remarks, *_remarks(outcomes)],
    )


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

    return [
        Line(f"{title}: lost", "", values(lambda outcome: outcome.tally.lost)),
        Line(f"{title}: duplicated", "", values(lambda outcome: outcome.tally.duplicated)),
        Line(f"{title}: misplaced", "", values(lambda outcome: outcome.tally.misplaced)),
        Line(f"{title}: calls refused", "", values(lambda outcome: outcome.refused), better=None),
        Line(
            f"{title}: turns said to have failed", "", values(lambda outcome: outcome.admitted), better=None
        ),
    ]
