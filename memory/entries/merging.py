"""What stays of either where two entries become one."""

from datetime import datetime
from typing import Any

from memory.models import ScratchpadEntry, Tier


def of_either(
    entry: ScratchpadEntry, other: ScratchpadEntry, *, happens_at: str | None, expires_at: datetime | None
) -> dict[str, Any]:
    """What stood on the list stays there, what was pinned is, what has no date takes the other's, and the one lasts as
    long as the longer.

    `happens_at`, `expires_at`: when `other` does, as far as is known now.
    """
    ends = (entry.expires_at, expires_at)
    return {
        "tier": Tier.SCRATCHPAD if Tier.SCRATCHPAD in (entry.tier, other.tier) else entry.tier,
        "pinned": entry.pinned or other.pinned,
        "happens_at": entry.happens_at or happens_at,
        "expires_at": max(end for end in ends if end) if all(ends) else None,
    }
