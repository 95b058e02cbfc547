"""The strict vocabulary of keyed facts: which key a model's word means, and how its value is stored."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from pydantic import TypeAdapter

from memory.ingestion.strategies.options import FactKey, KeyedFactsOptions
from providers.llm.base import KnownKey

# Stable names for what companions most often want to know about a person.
SHIPPED_KEYS: tuple[FactKey, ...] = TypeAdapter(tuple[FactKey, ...]).validate_json(
    (Path(__file__).parent / "shipped_keys.json").read_bytes()
)
_SEPARATORS = re.compile(r"[^\w]+|_+")
_ADORNMENTS = re.compile(r"^(?:user|users|person|my|their|his|her|the|current|currently|present|new)_")
# The similarity (difflib) from which a word can only be a misspelt key: `favorite`, `favourite`.
MISSPELT = 0.88
# Names, with all words of an answer: two seconds, if they are long and of the same letters.
MOST_COMPARED = 20_000


class Vocabulary:
    """A companion's keys: its own, then the shipped ones, unless it leaves those out."""

    def __init__(self, options: KeyedFactsOptions) -> None:
        own = {key.name: key for key in options.keys}
        shipped = {key.name: key for key in SHIPPED_KEYS} if options.shipped_keys else {}
        self.keys: Mapping[str, FactKey] = {**shipped, **own}
        self._names = {near: key for key in shipped.values() if key.name not in own for near in key.near}
        self._names |= {near: key for key in own.values() for near in key.near}
        self._names |= dict(self.keys)
        self._compared = 0

    def find(self, word: str) -> FactKey | None:
        """The key that `word` means, also by a similar name (`current_city`), or misspelt, until many were compared."""
        name = "_".join(part for part in _SEPARATORS.split(word.lower()) if part)
        plain = (name, _ADORNMENTS.sub("", name), name.removesuffix("s"), name.removesuffix("_name"))
        for candidate in plain:
            if candidate in self._names:
                return self._names[candidate]
        if len(name) <= 4 or self._compared >= MOST_COMPARED:
            return None
        self._compared += len(self._names)
        close = get_close_matches(name, self._names, n=1, cutoff=MISSPELT)
        return self._names[close[0]] if close else None

    def known_keys(self, types: Sequence[str]) -> tuple[KnownKey, ...]:
        """The keys for the model. If the companion lacks a key's type, it gets the type `other`, or the first one."""
        return tuple(
            KnownKey(key.name, type_among(key.type, types)[0], key.says, key.single_valued)
            for key in self.keys.values()
        )


def fact_text(key: FactKey, value: str) -> str:
    """The text that is stored and embedded for a value: `city: Lisbon`."""
    return f"{key.name}: {value}"


def type_among(wanted: str, known: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The type if the companion has it, or its `other`, or its first one, with a remark if it was changed."""
    if wanted in known:
        return wanted, ()
    fallback = "other" if "other" in known else known[0]
    return fallback, (f"the companion has no type {wanted}; kept as {fallback}",)
