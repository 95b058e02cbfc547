from datetime import datetime

from memory.forgetting.base import SECONDS_A_DAY, Condition, ForgettingPolicy
from memory.forgetting.configuration import Forgetting

_LEAST = 1e-300  # stands for an importance of 0, which has no logarithm


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
