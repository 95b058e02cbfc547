"""One call finds facts, a second decides what they do to the entries like them; the nearest are shown."""

from memory.recipes.base import Recipe

RECIPE: Recipe = {
    "description": "One model call extracts atomic facts, a second decides what each does to the entries like it; the "
    "entries nearest to a message are shown.",
    "after": "Case.dev",
    "cost": "1 model call where nothing is said, else 2; 1 batch of embeddings, 1 more for texts that were merged",
    "config": {
        "ingestion": {"strategy": "two_call", "tier": "archive", "candidates": {"top_k": 20}},
        "retrieval": {"embedder": "default", "ranker": "cosine"},
        "context": {"memory": "retrieved"},
    },
}
