"""The errors that the clients raise; RapportError is the base."""

import re
from typing import Any


class RapportError(Exception):
    """The base class of all errors."""


class Unreachable(RapportError):
    """There was no response, even after all retries."""


class StreamBroken(RapportError):
    """A stream reported an error, or broke off."""


class ProblemError(RapportError):
    """An error response: `status`, `type` (`urn:rapport:problem:...`), `detail`, `errors` (each with `field` and
    `detail`), and the whole `body`. A chat's body has OpenAI's format.
    """

    def __init__(self, status: int, body: Any) -> None:
        self.status = status
        self.body: dict[str, Any] = body if isinstance(body, dict) else {"detail": str(body)[:500]}
        said = self.body.get("error")
        problem: dict[str, Any] = self.body
        if isinstance(said, dict):
            problem = said.get("problem") or {"detail": said.get("message")}
        self.type: str = problem.get("type", "about:blank")
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        self.detail: str = str(problem.get("detail") or problem.get("error") or "")
        fields = [f"{one['field']}: {one['detail']}" for one in self.errors]
        further = "; ".join(field for field in fields if f"; {field};" not in f"; {self.detail};")
        super().__init__(f"{status} {self.detail}" + (f" ({further})" if further else ""))

    def numbered_from(self, first: int) -> "ProblemError":
        """Return the same error with entries numbered in the whole list. `first`: the number of the request's first."""

        def renumbered(text: str) -> str:
            return re.sub(r"\bentries\.(\d+)", lambda found: f"entries.{first + int(found[1])}", text)

        errors = [{**one, "field": renumbered(one["field"])} for one in self.errors]
        return problem_of(self.status, {**self.body, "detail": renumbered(self.detail), "errors": errors})


class NotFound(ProblemError):
    """404, 410."""


class Refused(ProblemError):
    """401, 403."""


class Stale(ProblemError):
    """409, 412."""


class Invalid(ProblemError):
    """400, 413, 415, 422."""


class TooMany(ProblemError):
    """429."""


_BY_STATUS = {
    **dict.fromkeys((404, 410), NotFound),
    **dict.fromkeys((401, 403), Refused),
    **dict.fromkeys((409, 412), Stale),
    **dict.fromkeys((400, 413, 415, 422), Invalid),
    429: TooMany,
}


def problem_of(status: int, body: Any) -> ProblemError:
    return _BY_STATUS.get(status, ProblemError)(status, body)
