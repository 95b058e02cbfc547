"""The section `forgetting` of the configuration: what time does to entries that nobody touches."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from memory.retrieval.configuration import HalfLife
from relationships.configuration.plugins import registered
from relationships.configuration.strict import Share, Strict

LEAST_FLOOR = 0.000001


class Forgetting(Strict):
    """What time does to entries that nobody touches."""

    policy: Annotated[str, registered("FORGETTING_POLICIES")] = "none"
    activation_floor: Share = 0.05
    """`activation`: an entry leaves when its importance x 2^(-age / half_life_days) is below this. 0: none ever
    leaves.
    """
    half_life_days: HalfLife = 30
    retention_days: Annotated[int, Field(ge=1, le=36_500)] = 365
    """`retention`: an entry older than this leaves."""
    then: Literal["archive", "expire"] = "archive"
    """Where it goes: out of the scratchpad, or no longer shown anywhere. Both can be undone."""

    @field_validator("activation_floor")
    @classmethod
    def _nothing_or_not_too_little(cls, value: float) -> float:
        if 0 < value < LEAST_FLOOR:
            raise ValueError(f"must be 0, by which nothing leaves, or at least {LEAST_FLOOR:f}")
        return value
