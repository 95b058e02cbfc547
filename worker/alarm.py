"""When turns that wait are a reason to call somebody: when it is the service's matter, and not one project's.

A hindrance is what turns wait for, over all projects. Past OLDEST_TURN_LIMIT_SECONDS it is alarming

- when the default provider waits for an operator: its key refused, its account empty, its settings wrong;
- when the default provider fails, or nobody takes what is due, and fewer projects were answered lately than wait;
- when another provider fails more than half of the projects that asked a model today or yesterday.

Anything else is told as degraded: a project that spent its budget, that names a model or a provider of its own which
does not answer, that had more brought in than the workers can read at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings

from providers.errors import ProviderError, ProviderMisconfigured
from web.errors import BudgetSpent
from worker.condition import QueueCondition
from worker.waits import DUE, READING, Wait


@dataclass(frozen=True, slots=True)
class Hindrance:
    """What turns of so many projects wait for, the longest of them for `seconds`."""

    reason: str
    provider: str
    turns: int
    projects: int
    seconds: float
    alarming: bool = False

    @property
    def sentence(self) -> str:
        """For an operator; names no project."""
        turns = f"{self.turns} turn{'s' * (self.turns != 1)} of {self.projects} project{'s' * (self.projects != 1)}"
        if self.reason == DUE:
            return f"queue: nobody has taken {turns} that could be read, the oldest for {self.seconds:.0f} s"
        what = (
            f"provider: {self.provider!r} holds up"
            if self.provider
            else "project: their own project holds up"
        )
        return (
            f"{what} {turns}, the oldest for {self.seconds:.0f} s ({self.reason}): {explained(self.reason)}"
        )


def hindrances(condition: QueueCondition) -> list[Hindrance]:
    """What turns wait for, the longest wait first. A turn that is due is hindered once it is past the limit."""
    groups: dict[tuple[str, str], list[Wait]] = {}
    for wait in condition.waits:
        late = wait.seconds > settings.OLDEST_TURN_LIMIT_SECONDS
        if wait.reason != READING and (late or wait.reason != DUE):
            groups.setdefault((wait.reason, wait.provider), []).append(wait)
    found = [_hindrance(waits, condition) for waits in groups.values()]
    return sorted(found, key=lambda hindrance: -hindrance.seconds)


def reasons_for_alarm(condition: QueueCondition, found: Sequence[Hindrance]) -> list[str]:
    """Why nobody would say that work is being done, in sentences; empty if it is."""
    reasons = []
    age = condition.beat_age_seconds
    if age is None:
        reasons.append("worker: none has reported; run manage.py worker")
    elif age > settings.HEARTBEAT_LIMIT_SECONDS:
        reasons.append(f"worker: none has reported for {age:.0f} s; run manage.py worker")
    return reasons + [hindrance.sentence for hindrance in found if hindrance.alarming]


def explained(reason: str) -> str:
    """The code of a failure as a sentence."""
    if reason == BudgetSpent.code:
        return "The project's model budget of the day is spent."
    return _EXPLAINED.get(reason, "The turn's error says why.")


def _hindrance(waits: Sequence[Wait], condition: QueueCondition) -> Hindrance:
    first = waits[0]
    late = {wait.project_id for wait in waits if wait.seconds > settings.OLDEST_TURN_LIMIT_SECONDS}
    return Hindrance(
        reason=first.reason,
        provider=first.provider,
        turns=sum(wait.turns for wait in waits),
        projects=len({wait.project_id for wait in waits}),
        seconds=max(wait.seconds for wait in waits),
        alarming=bool(late) and _is_the_services(first, len(late), condition),
    )


def _is_the_services(wait: Wait, projects: int, condition: QueueCondition) -> bool:
    asked = condition.asked
    if wait.reason == DUE:
        return projects > asked.answered
    if not wait.provider:
        return False
    if wait.provider == settings.DEFAULT_LLM_PROVIDER:
        return wait.reason in _BLOCKING or projects > asked.answered
    return 2 * projects > asked.projects


def _below(kind: type[ProviderError]) -> Iterator[type[ProviderError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _below(child)


_EXPLAINED = {kind.code: str(kind()) for kind in _below(ProviderError)}
_BLOCKING = {kind.code for kind in _below(ProviderMisconfigured)}
