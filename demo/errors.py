"""The errors of the demo and of imports.

RapportError
├── InvalidInput
│   └── UnreadableConversation   the file is not a conversation; names the field
└── DemoFailed                   the service failed; says why, and where its log is
    └── RequestFailed            the service refused a request; has the status
"""

from collections.abc import Sequence
from pathlib import Path

from web.errors import FieldProblem, InvalidInput, RapportError

_SHOWN = 5


class UnreadableConversation(InvalidInput):
    code = "unreadable_conversation"

    def __init__(self, path: Path, problems: Sequence[FieldProblem]) -> None:
        lines = [f"{line.field}: {line.detail}" if line.field else line.detail for line in problems]
        more = f"; and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
        super().__init__(f"{path} can't be read. {'; '.join(lines[:_SHOWN])}{more}.", problems=problems)


class DemoFailed(RapportError):
    code = "demo_failed"


class RequestFailed(DemoFailed):
    code = "request_failed"

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
