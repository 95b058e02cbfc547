"""What a system asked of the model server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Since the last `reset`."""

    calls: int = 0
    prompt_tokens: int = 0
    embedding_calls: int = 0
    embedded_texts: int = 0
    malformed: int = 0  # of the calls: answers that were broken on purpose
