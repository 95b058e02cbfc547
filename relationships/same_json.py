"""Compare JSON values."""

import json
from typing import Any


def same_json(one: Any, other: Any) -> bool:
    """Return whether both are the same JSON. By == alone, true would equal 1, and 1 would equal 1.0."""
    if one is other or (type(one) is str and type(other) is str):
        return bool(one == other)
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
