"""The forgetting policies: when an entry leaves, as a condition for the database and as a sentence."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from memory.forgetting.configuration import Forgetting
from memory.retrieval.decay import SECONDS_A_DAY

_LEAST = 1e-300  # stands for an importance of 0, which has no logarithm


@dataclass(frozen=True, slots=True)
class Condition:
    """SQL over an entry's columns, `{since}` in place of the time from which its age counts; and what it names."""

    sql: str
    values: Mapping[str, Any]


class ForgettingPolicy(ABC):
    """One way to say whose time is over. An entry's age counts from when it was last touched: told, shown, or
    changed or brought back by somebody. Pinned and read-only entries never leave, whatever a policy says."""

    slug: ClassVar[str]

    @abstractmethod
    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        """Which entries leave; None: none ever does. The older an entry is, the rather it holds."""

    @abstractmethod
    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        """Why such an entry left, with the rule and its numbers: it stands in the entry's history."""


class KeepEverything(ForgettingPolicy):
    """The default: time alone takes nothing away."""

    slug = "none"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        return None

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        return ""


class RetentionDays(ForgettingPolicy):
    """What nobody touched for `retention_days` leaves, whatever it weighs."""

    slug = "retention"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        return Condition("{since} < %(before)s", {"before": now - timedelta(days=forgetting.retention_days)})

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        return f"retention: untouched for {age_days:.0f} days, kept for {forgetting.retention_days}"


class ActivationFloor(ForgettingPolicy):
    """What is left of an entry's importance, x 2^(-age / half_life_days), has fallen below `activation_floor`."""

    slug = "activation"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        """By logarithms: a power of an age of many half-lives would be out of the database's range."""
        if forgetting.activation_floor == 0:
            return None
        return Condition(
            "extract(epoch FROM %(now)s - {since})::float8 / %(half_life)s"
            f" > ln(greatest(e.importance, {_LEAST}) / %(floor)s) / ln(2::float8)",
            {
                "now": now,
                "half_life": forgetting.half_life_days * SECONDS_A_DAY,
                "floor": forgetting.activation_floor,
            },
        )

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        left = activation(importance, age_days=age_days, half_life_days=forgetting.half_life_days)
        return (
            f"activation: importance {importance:g} x 2^(-{age_days:.4g} days / {forgetting.half_life_days:g})"
            f" = {left:.2g}, below {forgetting.activation_floor:g}"
        )


def activation(importance: float, *, age_days: float, half_life_days: float) -> float:
    """What is left of the importance; 0.0 when that is too small for a float."""
    return float(importance * 2.0 ** max(-1074.0, -age_days / half_life_days))
