"""A tool call, as a model makes it."""

from dataclasses import dataclass
from typing import Any

from providers.llm.chat import CallPart


@dataclass(slots=True)
class Call:
    """A tool call, assembled from its parts."""

    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: Any = None

    def add(self, part: CallPart) -> None:
        self.id = self.id or part.id
        self.name = self.name or part.name
        said, self.arguments = self.arguments, ""
        said += part.arguments  # in place, as nothing else holds it, and not copied for each part
        self.arguments = said
        self.extra = self.extra or part.extra

    def as_message(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": self.arguments}
        extra = {"extra_content": self.extra} if self.extra else {}
        return {"id": self.id, "type": "function", "function": function, **extra}
