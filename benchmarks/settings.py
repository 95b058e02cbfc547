"""The production settings, with one more view to compare with and a model that answers at once."""

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
# Counted as in production, by the minute, and never reached: one key asks as fast as it can.
KEY_RATES |= dict.fromkeys(KEY_RATES, Rate(60_000_000, 60))
EMBEDDING_PROVIDERS["local"]["OPTIONS"]["folder"] = (
    BASE_DIR / ".data" / "models"
)  # downloaded once for all runs
