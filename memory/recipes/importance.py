"""A small model scores what was said; a gate decides when to look back, and similarity, importance and time rank."""

from memory.recipes.base import Recipe

RECIPE: Recipe = {
    "description": "A small model scores what is said from 1 to 10; what matters is kept in the archive and found "
    "again by similarity, importance and how lately it was used.",
    "after": "Emotion Machine, first version",
    "cost": "1 call of a small model, 1 batch of embeddings to look up, 1 for what is kept",
    "config": {
        "ingestion": {"strategy": "importance", "tier": "archive", "importance": {"kept_from": 0.55}},
        "retrieval": {
            "embedder": "default",
            "ranker": "importance",
            "top_k": 15,
            "candidates": 300,
            "hourly_decay": 0.995,
            "saliency_floor": 0.05,
            "record_access": True,
            "gate": {"open_on": ["keywords", "cadence", "gap"], "turns": 2, "gap_seconds": 30},
        },
        "context": {"memory": "retrieved"},
    },
}
