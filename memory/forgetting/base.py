"""The seam of forgetting policies: when an entry leaves, as a condition for the database and as a sentence."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from memory.forgetting.configuration import Forgetting

SECONDS_A_DAY = 86_400.0


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
