"""The errors that all rooms raise.

RapportError                      the base class; knows no HTTP
├── InvalidInput                  names the fields and what to do
│   └── InvalidConfiguration
├── NotFound                      not there, or another project's
├── Gone                          was erased
├── Conflict                      the state does not allow it
│   ├── AlreadyExists
│   ├── StaleVersion              somebody changed it meanwhile
│   └── IdempotencyMismatch       the same key with another request
├── NotAllowed                    this key may not
├── TooMuch                       over a limit, which it names
├── TooManyRequests               too often; says when to try again
│   └── BudgetSpent               the project's model budget of the day is spent
├── Unsupported                   of a kind that isn't supported; names those that are
├── Unavailable                   not now; try again shortly
└── UpstreamFailed                a server that was called for the request gave no usable answer
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

# Limits that keep an answer small, whatever was sent.
MOST_PROBLEMS = 20
LONGEST_FIELD = 300  # characters
LONGEST_DETAIL = 2000


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One field that is wrong: `field` as a dotted path, `detail` a sentence."""

    field: str
    detail: str


def shorten(text: str, most: int) -> str:
    """Shorten the text to `most` characters, ending with an ellipsis if it was longer."""
    return text if len(text) <= most else f"{text[:most]}…"


class RapportError(Exception):
    code = "error"

    def __init__(self, detail: str, *, problems: Iterable[FieldProblem] = (), **extra: Any) -> None:
        self.detail = shorten(detail, LONGEST_DETAIL)
        super().__init__(self.detail)
        self.problems = tuple(
            FieldProblem(shorten(line.field, LONGEST_FIELD), shorten(line.detail, LONGEST_DETAIL))
            for line in islice(problems, MOST_PROBLEMS)
        )
        self.extra = extra


class InvalidInput(RapportError):
    code = "invalid"

    @classmethod
    def of(cls, field: str, detail: str) -> Self:
        return cls.naming([FieldProblem(field, detail)])

    @classmethod
    def naming(cls, problems: Sequence[FieldProblem]) -> Self:
        """Make the error from one or more problems. The first is its message."""
        return cls(f"{problems[0].field}: {problems[0].detail}", problems=problems)

    @classmethod
    def of_parts(cls, refused: Mapping[str, RapportError]) -> Self:
        """Make the error from the refused parts of one request: by path, the error of each."""
        return cls.naming(
            [
                FieldProblem(".".join(filter(None, (path, line.field))), line.detail)
                for path, error in refused.items()
                for line in error.problems or [FieldProblem("", error.detail)]
            ]
        )


class InvalidConfiguration(InvalidInput):
    code = "invalid_configuration"

    def __init__(self, problems: Iterable[FieldProblem]) -> None:
        shown = list(islice(problems, MOST_PROBLEMS))
        super().__init__("; ".join(f"{line.field}: {line.detail}" for line in shown), problems=shown)


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


class BudgetSpent(TooManyRequests):
    """`retry_after`, among its members: seconds until the next day."""

    code = "budget"


class Unsupported(RapportError):
    code = "unsupported"


class Unavailable(RapportError):
    code = "unavailable"


class UpstreamFailed(RapportError):
    code = "upstream_failed"
