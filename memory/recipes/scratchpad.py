"""The default recipe: one call a turn keeps a short list, and the whole list is shown."""

from memory.recipes.base import Recipe

RECIPE: Recipe = {
    "description": "One model call adds, updates and deletes entries of a short list, which is shown whole.",
    "after": "Emotion Machine, second version",
    "cost": "1 model call; no embedding while nothing is in the archive",
    "config": {
        "ingestion": {"strategy": "operations", "tier": "scratchpad", "overflow": "archive"},
        "retrieval": {"ranker": "best"},
        "context": {"memory": "both"},
    },
}
