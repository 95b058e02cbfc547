"""What fits a budget of tokens: arithmetic only. Things are kept whole or left out whole."""

from collections.abc import Collection, Sequence


def keep_within(costs: Sequence[int], *, room: int, first: Collection[int] = ()) -> list[int]:
    """The places to keep, in order; those in `first` go before others, what doesn't fit is passed over."""
    kept: list[int] = []
    for place in [*sorted(first), *(place for place in range(len(costs)) if place not in first)]:
        if costs[place] <= room:
            room -= costs[place]
            kept.append(place)
    return sorted(kept)


def keep_last(costs: Sequence[int], *, room: int) -> int:
    """How many of the last things fit without a gap."""
    count = 0
    for cost in reversed(costs):
        room -= cost
        if room < 0:
            break
        count += 1
    return count
