"""The recipes: named sets of configuration values, with descriptions for choosing one."""

from typing import Any, TypedDict


class Recipe(TypedDict):
    """A level of the cascade between the defaults and the project, under a name.

    `description`: what it does, in a sentence. `after`: where the design comes from. `cost`: what a turn takes.
    `config`: the values, as a developer would write them.
    """

    description: str
    after: str
    cost: str
    config: dict[str, Any]


SCRATCHPAD: Recipe = {
    "description": "One model call adds, updates and deletes entries of a short list, which is shown whole.",
    "after": "Emotion Machine, second version",
    "cost": "1 model call; no embedding while the archive is empty",
    "config": {
        "ingestion": {"strategy": "operations", "tier": "scratchpad", "overflow": "archive"},
        "retrieval": {"ranker": "best"},
        "context": {"memory": "both"},
    },
}

IMPORTANCE: Recipe = {
    "description": "A small model scores what is said from 1 to 10; what matters is kept in the archive and "
    "found again by similarity, importance and time since its last use.",
    "after": "Emotion Machine, first version",
    "cost": "1 call of a small model, 1 batch of embeddings for the lookup, 1 for what is kept",
    "config": {
        "ingestion": {"strategy": "importance", "tier": "archive", "importance": {"kept_from": 0.55}},
        "retrieval": {
            "embedder": "default",
            "ranker": "importance",
            "top_k": 15,
            "candidates": 300,
            "hourly_decay": 0.995,
            "record_access": True,
            "gate": {
                "open_on": ["keywords", "cadence", "gap"],
                "keywords": ["remember", "my name", "do you know"],
                "turns": 2,
                "gap_seconds": 30,
            },
        },
        "context": {"memory": "retrieved"},
    },
}

TWO_CALL: Recipe = {
    "description": "One model call extracts atomic facts, a second decides what each does to similar entries; "
    "the entries nearest to a message are shown.",
    "after": "Case.dev",
    "cost": "1 model call if nothing is said, else 2; 1 batch of embeddings, 1 more for merged texts",
    "config": {
        "ingestion": {"strategy": "two_call", "tier": "archive", "candidates": {"top_k": 20}},
        "retrieval": {"embedder": "default", "ranker": "cosine"},
        "context": {"memory": "retrieved"},
    },
}

# The six published designs, described in our words.
CATEGORIES = [
    {
        "name": "preference",
        "description": "likes, dislikes, ways of doing things, limits",
        "examples": ["Prefers bullet points", "Eats no meat"],
    },
    {
        "name": "fact",
        "description": "who they are and who is in their life",
        "examples": ["Majors in biology", "Has a sister, Ana, who lives in Porto"],
    },
    {
        "name": "goal",
        "description": "what they want to reach",
        "examples": ["Wants to run a marathon in 2027"],
    },
    {
        "name": "learningstyle",
        "description": "how they learn and understand best",
        "examples": ["Learns best from worked examples"],
    },
    {
        "name": "schedule",
        "description": "dates and deadlines to come, and what comes again, with its date",
        "examples": ["Biology exam on 2026-03-14"],
    },
    {"name": "general", "description": "anything else worth keeping", "examples": ["Drives a 1998 Volvo"]},
]

CLASSIFIER: Recipe = {
    "description": "A cheap model sorts what is said into categories; most turns save nothing and cost no embedding. "
    "Entries are found by similarity and the weight of their category.",
    "after": "Cereby",
    "cost": "1 call of a cheap model; no embedding if nothing is said, else 1 batch",
    "config": {
        "ingestion": {
            "strategy": "classifier",
            "tier": "archive",
            "types": CATEGORIES,
            "classifier": {
                "confident_from": 0.7,
                "skip_above": 0.92,
                "schedule_days": 30,
                "weights": {
                    "fact": 1.0,
                    "goal": 0.9,
                    "preference": 0.8,
                    "learningstyle": 0.8,
                    "schedule": 0.7,
                },
                "weight_otherwise": 0.6,
            },
        },
        # similarity x importance, where importance is the category's weight; a schedule expires instead of fading
        "retrieval": {"embedder": "default", "ranker": "importance", "hourly_decay": 1.0},
        "context": {"memory": "retrieved"},
    },
}

KEYED_FACTS: Recipe = {
    "description": "The model must call a tool that records values under keys of a strict vocabulary; a new "
    "value supersedes the old. Facts and preferences are shown in a separate block.",
    "after": "Building AI agent memory",
    "cost": "1 model call with a tool; 1 batch of embeddings for the lookup, 1 for what is kept",
    "config": {
        "ingestion": {"strategy": "keyed_facts", "tier": "archive"},
        "retrieval": {"embedder": "default", "ranker": "hybrid"},
        "context": {"memory": "retrieved", "block": "user_memory"},
    },
}

DECAY: Recipe = {
    "description": "Like two_call, but ranked by similarity, importance and age; faded entries expire.",
    "after": "pgmemai",
    "cost": "as two_call, plus a sweep for faded entries",
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
