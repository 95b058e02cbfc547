"""As two_call, with an importance for each fact; similarity, importance and age are one product, and floors evict."""

from memory.recipes.base import Recipe

RECIPE: Recipe = {
    "description": "As two_call, and ranked by similarity x importance x 2^(-age / half-life); what has faded leaves.",
    "after": "pgmemai",
    "cost": "as two_call; a sweep for what has faded",
    "config": {
        "ingestion": {"strategy": "two_call", "tier": "archive", "candidates": {"top_k": 20}},
        "retrieval": {"embedder": "default", "ranker": "decay", "half_life_days": 30},
        "forgetting": {
            "policy": "activation",
            "activation_floor": 0.05,
            "half_life_days": 30,
            "then": "expire",
        },
        "context": {"memory": "retrieved"},
    },
}
