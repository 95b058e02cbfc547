"""Counts the tokens of prompts, for all systems alike."""

from collections.abc import Callable
from functools import lru_cache

_counters: list[tuple[str, Callable[[str], int]]] = []


def tokenizer() -> str:
    """What counts, for the report."""
    return _counter()[0]


@lru_cache(maxsize=2000)
def count_tokens(text: str) -> int:
    return _counter()[1](text)


def _counter() -> tuple[str, Callable[[str], int]]:
    """The vocabulary of OpenAI's models where its package is installed; it needs no network."""
    if not _counters:
        try:
            from bpe_openai import get_encoding
        except ImportError:
            _counters.append(("characters / 4", lambda text: -(-len(text) // 4)))
        else:
            encoding = get_encoding("o200k_base")
            _counters.append(("o200k_base (bpe-openai)", lambda text: len(encoding.encode_ordinary(text))))
    return _counters[0]
