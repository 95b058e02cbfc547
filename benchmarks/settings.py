"""The production settings, with one more view and two models."""

import os

from config.rates import Rate
from config.settings import *  # noqa: F403
from config.settings import BASE_DIR, EMBEDDING_PROVIDERS, KEY_RATES, LLM_PROVIDERS

ROOT_URLCONF = "benchmarks.urls"
LLM_PROVIDERS |= {
    "instant": {
        "BACKEND": "providers.llm.openai.OpenAIProvider",
        "OPTIONS": {"base_url": os.environ.get("BENCH_MODEL_URL", ""), "model": "instant"},
    },
    "streaming": {
        "BACKEND": "providers.llm.openai.OpenAIProvider",
        "OPTIONS": {"base_url": os.environ.get("BENCH_STREAM_URL", ""), "model": "bench"},
    },
}
# High limits, so that requests are counted as in production but never refused.
KEY_RATES |= dict.fromkeys(KEY_RATES, Rate(60_000_000, 60))
EMBEDDING_PROVIDERS["local"]["OPTIONS"]["folder"] = BASE_DIR / ".data" / "models"  # kept for all runs
