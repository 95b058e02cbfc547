"""Whether two JSON values are the same."""

import json
from typing import Any


def same_json(one: Any, other: Any) -> bool:
    """By == alone true would be 1, and 1.0 too."""
    if one is other or (type(one) is str and type(other) is str):
        return bool(one == other)
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
