"""The values of an entry that two entries are merged into."""

from datetime import datetime
from typing import Any

from memory.models import ScratchpadEntry, Tier


def of_either(
    entry: ScratchpadEntry, other: ScratchpadEntry, *, happens_at: str | None, expires_at: datetime | None
) -> dict[str, Any]:
    """The values of `entry` after `other` was merged into it: it is in the scratchpad or pinned if either was, gets the
    other's date if it has none, and expires with the later of the two.

    `happens_at`, `expires_at`: those of `other`, as far as is known now.
    """
    ends = (entry.expires_at, expires_at)
    return {
        "tier": Tier.SCRATCHPAD if Tier.SCRATCHPAD in (entry.tier, other.tier) else entry.tier,
        "pinned": entry.pinned or other.pinned,
        "happens_at": entry.happens_at or happens_at,
        "expires_at": max(end for end in ends if end) if all(ends) else None,
    }
