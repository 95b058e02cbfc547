"""The forgetting policies: when an entry is removed, as a condition for the database and as a sentence."""

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
    """SQL over an entry's columns, with `{since}` for the time from which its age counts; and its parameters."""

    sql: str
    values: Mapping[str, Any]


class ForgettingPolicy(ABC):
    """One rule for which entries are removed. An entry's age counts from when it was last touched: mentioned, shown,
    changed or restored. Pinned and read-only entries are never removed, whatever a policy says."""

    slug: ClassVar[str]

    @abstractmethod
    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        """Which entries are removed; None: none. Once true of an entry, it must stay true as the entry gets older."""

    @abstractmethod
    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        """Why such an entry was removed, with the rule and its numbers, for the entry's history."""


class KeepEverything(ForgettingPolicy):
    """The default: nothing is removed because of its age."""

    slug = "none"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        return None

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        return ""


class RetentionDays(ForgettingPolicy):
    """Removes what was untouched for `retention_days`, however important it is."""

    slug = "retention"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        return Condition("{since} < %(before)s", {"before": now - timedelta(days=forgetting.retention_days)})

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        return f"retention: untouched for {age_days:.0f} days, kept for {forgetting.retention_days}"


class ActivationFloor(ForgettingPolicy):
    """Removes entries whose importance x 2^(-age / half_life_days) has fallen below `activation_floor`."""

    slug = "activation"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        """The condition in logarithms, as after many half-lives the power would be out of the database's range."""
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
