from datetime import datetime

from memory.forgetting.base import Condition, ForgettingPolicy
from memory.forgetting.configuration import Forgetting


class KeepEverything(ForgettingPolicy):
    """The default: time alone takes nothing away."""

    slug = "none"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        return None

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        return ""
