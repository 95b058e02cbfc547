"""The rate limits of API keys and relationship tokens. A process reads them once; a key may have its own limits."""

import re
from dataclasses import dataclass

from config import environment as env

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
LIMITS = ("requests", "turns", "previews", "searches")
HINT = "write 600/minute (or /second, /hour, /day), or off"
MOST = 1_000_000_000

_WRITTEN = re.compile(rf"([1-9]\d{{0,9}})/({'|'.join(SECONDS)})")


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `quota` in each window of `seconds`."""

    quota: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.quota}/{next(name for name, seconds in SECONDS.items() if seconds == self.seconds)}"

    def exceeds(self, other: "Rate") -> bool:
        """Return whether this rate allows more than the other, at once or over time."""
        return self.quota > other.quota or self.quota * other.seconds > other.quota * self.seconds


Rates = dict[str, Rate | None]  # by the limit's name; None: no limit


def parse_rate(written: str) -> Rate | None:
    """Parse a rate such as `600/minute`; None for `off`. Raises ValueError."""
    if written == "off":
        return None
    found = _WRITTEN.fullmatch(written)
    if found is None or int(found[1]) > MOST:
        raise ValueError(written)
    return Rate(int(found[1]), SECONDS[found[2]])


def key_rates() -> Rates:
    """The rates of an API key. They are generous, as a developer's server uses one for all its people."""
    return {
        "requests": env.parsed("RAPPORT_RATE_REQUESTS", "60000/minute", parse_rate, HINT),
        "turns": env.parsed("RAPPORT_RATE_TURNS", "6000/minute", parse_rate, HINT),
        "previews": env.parsed("RAPPORT_RATE_PREVIEWS", "60/minute", parse_rate, HINT),
        "searches": env.parsed("RAPPORT_RATE_SEARCHES", "6000/minute", parse_rate, HINT),
    }


def token_rates() -> Rates:
    """The rates of a relationship token, for one person's browser. It can't preview at all."""
    return {
        "requests": env.parsed("RAPPORT_TOKEN_RATE_REQUESTS", "600/minute", parse_rate, HINT),
        "turns": env.parsed("RAPPORT_TOKEN_RATE_TURNS", "60/minute", parse_rate, HINT),
        "searches": env.parsed("RAPPORT_TOKEN_RATE_SEARCHES", "120/minute", parse_rate, HINT),
    }
