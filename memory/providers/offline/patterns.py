"""How every rule writes its patterns: case aside, and anchored by whoever matches."""

import re


def pattern(text: str) -> re.Pattern[str]:
    """A compiled pattern that takes capitals and small letters alike.

    Each pattern is tried at one place of a clause of at most a few hundred characters, so that none can run away.
    """
    return re.compile(text, re.IGNORECASE)
