"""What can be wrong about people, companions and what was said.

RapportError                      what every part of ours raises; knows no HTTP
├── InvalidInput                  names the fields and the way out
│   └── InvalidConfiguration
├── NotFound                      not there, or another project's
├── Gone                          was there, and was erased
├── Conflict                      the state does not allow it
│   ├── AlreadyExists
│   ├── StaleVersion              somebody changed it meanwhile
│   └── IdempotencyMismatch       the same key with another request
├── NotAllowed                    this key may not
├── TooMuch                       over a limit, which it names
├── TooManyRequests               too often; says when to try again
├── Unsupported                   of a kind that can't be taken; names those that can
├── Unavailable                   not now; try again shortly
└── UpstreamFailed                somebody we asked on your behalf gave no usable answer
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One field that is wrong: `field` as a dotted path, `detail` a sentence."""

    field: str
    detail: str


class RapportError(Exception):
    code = "error"

    def __init__(self, detail: str, *, problems: Sequence[FieldProblem] = (), **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = tuple(problems)
        self.extra = extra


class InvalidInput(RapportError):
    code = "invalid"

    @classmethod
    def of(cls, field: str, detail: str) -> "InvalidInput":
        return cls(f"{field}: {detail}", problems=[FieldProblem(field, detail)])


class InvalidConfiguration(InvalidInput):
    code = "invalid_configuration"

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__("; ".join(f"{line.field}: {line.detail}" for line in problems), problems=problems)


class NotFound(RapportError):
    code = "not_found"


class Gone(RapportError):
    code = "gone"


class Conflict(RapportError):
    code = "conflict"


class AlreadyExists(Conflict):
    code = "already_exists"


class StaleVersion(Conflict):
    code = "stale_version"


class IdempotencyMismatch(Conflict):
    code = "idempotency_mismatch"


class NotAllowed(RapportError):
    code = "not_allowed"


class TooMuch(RapportError):
    code = "too_much"


class TooManyRequests(RapportError):
    """`retry_after`, among its members: seconds."""

    code = "too_many_requests"


class Unsupported(RapportError):
    code = "unsupported"


class Unavailable(RapportError):
    code = "unavailable"


class UpstreamFailed(RapportError):
    code = "upstream_failed"
