"""Whether two JSON values are the same."""

import json
from typing import Any


def same_json(one: Any, other: Any) -> bool:
    """By == alone true would be 1, and 1.0 too."""
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
