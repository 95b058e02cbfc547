"""Values under the keys of a strict vocabulary, recorded by a tool call; words and meaning find them, in one block."""

from memory.recipes.base import Recipe

RECIPE: Recipe = {
    "description": "The model must call a tool that records values under keys of a strict vocabulary; a new value "
    "supersedes the old. Facts are shown by type in a block of their own.",
    "after": "Building AI agent memory",
    "cost": "1 model call with a tool; 1 batch of embeddings to look up, 1 for what is kept",
    "config": {
        "ingestion": {"strategy": "keyed_facts", "tier": "archive"},
        "retrieval": {"embedder": "default", "ranker": "hybrid"},
        "context": {"memory": "retrieved", "block": "user_memory", "group_by_type": True},
    },
}
