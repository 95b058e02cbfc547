"""The section `chat` of the configuration: how replies are made."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from chat.tools.definitions import TOOLS
from relationships.configuration.strict import Strict, repeated_names

DEFAULT_TOOL_PROMPT = (Path(__file__).parent / "tools" / "prompt.txt").read_text().strip()


class Chat(Strict):
    """Replies by OpenAI's protocols and of the playground. The provider is `context.provider`."""

    model: Annotated[str, StringConstraints(max_length=200)] | None = None
    """The model that replies; null: the provider's own."""
    tools: tuple[str, ...] = ("memory_search",)
    """Memory tools that the model may call besides the client's own. By default only search, as every turn is read
    for memory anyway.
    """
    tool_prompt: Annotated[str, StringConstraints(max_length=8000)] = DEFAULT_TOOL_PROMPT
    """Tells the model how to use the tools; added after the context. {tools} is replaced by their names."""
    max_tool_rounds: Annotated[int, Field(ge=0, le=20)] = 4
    """How many times the model may call memory tools before it has to reply."""
    max_seconds: Annotated[int, Field(ge=1, le=3600)] = 600
    """A reply that takes longer is cut off."""

    @field_validator("tools")
    @classmethod
    def _known_tools(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if name not in TOOLS:
                raise ValueError(f"there is no tool {name[:60]!r}; there are {', '.join(TOOLS)}")
        if repeated := repeated_names(value):
            raise ValueError(f"{repeated[0]} is there more than once")
        return value
