"""The section `workspace` of the configuration: what an agent of the companion is told, and how far it may go."""

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
    """Alias of the LLM provider that works and curates; null: the service's default."""
    model: Annotated[str, StringConstraints(max_length=120)] | None = None
    """Null: the provider's own."""
    max_steps: Annotated[int, Field(ge=1, le=500)] = 40
    """Tool calls of one session at the most."""
    max_tokens: Annotated[int, Field(ge=1_000, le=50_000_000)] = 500_000
    """Tokens that one session may use, questions and answers together."""
    max_minutes: Annotated[int, Field(ge=1, le=1440)] = 30
    """How long one session may take."""
    abandoned_hours: Annotated[int, Field(ge=1, le=8760)] = 24
    """A session that nobody gives a sign of for so long is abandoned; its branch stays."""
