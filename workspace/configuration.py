"""The section `workspace` of the configuration: the rules, model and limits of a companion's agent."""

from typing import Annotated

from pydantic import Field, StringConstraints

from relationships.configuration.plugins import ProviderAlias
from relationships.configuration.strict import Strict

Rules = Annotated[str, StringConstraints(max_length=32_000)]


class Workspace(Strict):
    """The companion's agent: its rules, its model, and the budget of one session."""

    agents_md: Rules = ""
    """The developer's rules for the agent, shown to it as workspace/AGENTS.md."""
    provider: ProviderAlias | None = None
    """Alias of the LLM provider for the agent's work and curation; null: the service's default."""
    model: Annotated[str, StringConstraints(max_length=120)] | None = None
    """Null: the provider's own."""
    max_steps: Annotated[int, Field(ge=1, le=500)] = 40
    """Most tool calls in one session."""
    max_tokens: Annotated[int, Field(ge=1_000, le=50_000_000)] = 500_000
    """Most tokens that one session may use, prompts and answers together."""
    max_minutes: Annotated[int, Field(ge=1, le=1440)] = 30
    """How long one session may take."""
    abandoned_hours: Annotated[int, Field(ge=1, le=8760)] = 24
    """A session without a sign of life for this long is abandoned; its branch stays."""
