"""JSON merge patch, RFC 7396: objects merge, null removes, anything else replaces."""

from typing import Any


def merge_patch(target: Any, patch: Any) -> Any:
    """`target` with `patch` applied. Neither argument is changed."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged
