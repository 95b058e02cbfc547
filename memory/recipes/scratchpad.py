"""The default recipe: one call a turn keeps a short list, and the whole list is shown."""

from typing import Any

RECIPE: dict[str, Any] = {
    "description": "One model call adds, updates and deletes entries of a short list, which is shown whole.",
    "config": {"ingestion": {"strategy": "operations"}},
}
