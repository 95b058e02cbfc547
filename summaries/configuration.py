"""The section `summaries` of the configuration: when the conversation is summarised, and how."""

from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from memory.ingestion.strategies.options import ModelName
from memory.ingestion.templates import MAX_TEMPLATE_CHARACTERS
from relationships.configuration.plugins import ProviderAlias
from relationships.configuration.strict import Strict
from summaries.prompt import known_prompt

Template = Annotated[str, StringConstraints(max_length=MAX_TEMPLATE_CHARACTERS), AfterValidator(known_prompt)]
Point = Annotated[int, Field(ge=2, le=1_000_000)]


class Summaries(Strict):
    """When the conversation is summarised, and how."""

    enabled: bool = True
    at: tuple[Point, ...] = Field(default=(200, 400, 600), max_length=50)
    """Numbers of messages at which a summary is made. Each summary extends the last with the messages since."""
    every: Annotated[int, Field(ge=0, le=100_000)] = 200
    """After the last of `at`, make one for every so many messages; 0: none."""
    prompt: Template | None = None
    """Template that says what a summary should contain; null: the one that ships with Rapport."""
    words: Annotated[int, Field(ge=20, le=5000)] = 300
    """Approximate length of a summary."""
    provider: ProviderAlias | None = None
    """Alias of an LLM provider; null: `ingestion.provider`."""
    model: ModelName | None = None
    """Null: `ingestion.model` if the provider is ingestion's, otherwise the provider's default model."""

    @field_validator("at")
    @classmethod
    def _ascending(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if any(later <= earlier for earlier, later in pairwise(value)):
            raise ValueError("must be in ascending order, each number once")
        return value

    def points(self, *, after: int, upto: int) -> list[int]:
        """The numbers of messages n at which a summary is made, with `after` < n <= `upto`."""
        points = [point for point in self.at if after < point <= upto]
        last = self.at[-1] if self.at else 0
        if self.every and upto > last:
            first = max(after, last) - last
            points += range(last + (first // self.every + 1) * self.every, upto + 1, self.every)
        return points
