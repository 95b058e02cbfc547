from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """How large and how long a run is. `tenants`: small relationships of 20 entries each, in turn."""

    tenants: tuple[int, ...]
    large: int  # entries of the one large relationship
    sizes: tuple[int, ...]  # entries of the relationships whose search is timed
    folds: int
    indexes: tuple[int, ...]
    questions: int
    calls: int


SHORT = Scale((1000,), 20_000, (500, 5000, 20_000), 10_000, (0, 10, 100), 50, 60)
LONG = Scale((1000, 5000), 50_000, (500, 5000, 50_000), 100_000, (0, 10, 100, 1000), 100, 200)
