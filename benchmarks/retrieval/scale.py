from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """How large and how long a run is. `tenants`: small relationships of 20 entries each, in turn."""

    tenants: tuple[int, ...]
    sizes: tuple[int, ...]  # entries of the relationships whose search is timed
    questions: int
    calls: int


SHORT = Scale((1000,), (500, 5000, 20_000), 50, 60)
LONG = Scale((1000, 5000), (500, 5000, 50_000), 100, 200)
