from datetime import datetime, timedelta

from memory.forgetting.base import Condition, ForgettingPolicy
from memory.forgetting.configuration import Forgetting


class RetentionDays(ForgettingPolicy):
    """What nobody touched for `retention_days` leaves, whatever it weighs."""

    slug = "retention"

    def condition(self, forgetting: Forgetting, now: datetime) -> Condition | None:
        return Condition("{since} < %(before)s", {"before": now - timedelta(days=forgetting.retention_days)})

    def reason(self, *, importance: float, age_days: float, forgetting: Forgetting) -> str:
        return f"retention: untouched for {age_days:.0f} days, kept for {forgetting.retention_days}"
