"""A cheap model sorts what was said into categories; what an entry nearly says is skipped; categories weigh."""

from memory.recipes.base import Recipe

RECIPE: Recipe = {
    "description": "A cheap model sorts what is said into categories; most turns save nothing and cost no embedding. "
    "Entries are found by similarity and the weight of their category.",
    "after": "Cereby",
    "cost": "1 call of a cheap model; no embedding where nothing is said, else 1 batch",
    "config": {
        "ingestion": {
            "strategy": "classifier",
            "tier": "archive",
            "classifier": {"confident_from": 0.7, "skip_above": 0.92, "schedule_days": 30},
        },
        # similarity x importance, where importance is the category's weight; what has a date expires instead of fading
        "retrieval": {"embedder": "default", "ranker": "importance", "hourly_decay": 1.0},
        "context": {"memory": "retrieved"},
    },
}
