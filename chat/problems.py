"""The endpoint's errors in OpenAI's format, the only one that its clients read."""

from typing import Any
from uuid import uuid4

import orjson
import structlog
from django.http import HttpResponse, HttpResponseBase

from chat.wire import error_of
from web.problems import problem, problem_response, title_of

log = structlog.get_logger(__name__)


def response_of(error: Exception, request: Any) -> HttpResponse:
    """The response for an error. Unexpected errors are logged without their text, which may quote a person."""
    known = problem_response(error, {"request": request})
    if known is None:
        error_id = str(uuid4())
        log.error("a reply crashed", event_name="chat.reply.crashed", error_id=error_id, exc_info=error)
        detail = f"Something went wrong in Rapport. It was logged as {error_id}."
        known = problem(500, "internal_error", detail, error_id=error_id)
    return in_openai_shape(known)


def in_openai_shape(answer: HttpResponseBase, *, bad_input: int = 400) -> HttpResponse:
    """Convert a problem response. OpenAI uses 400 for an invalid body, where we use 422."""
    assert isinstance(answer, HttpResponse)
    told = orjson.loads(answer.content)
    status = bad_input if answer.status_code == 422 else answer.status_code
    shaped = HttpResponse(
        orjson.dumps(error_of({**told, "title": title_of(status), "status": status})),
        status=status,
        content_type="application/json",
    )
    for name, value in answer.items():
        if name.lower() not in ("content-type", "content-length"):
            shaped[name] = value
    shaped.tells_an_error = True  # type: ignore[attr-defined]  # web.middleware then leaves it unchanged
    return shaped


def told(error: Exception) -> dict[str, Any]:
    """The body of the error response, for the end of a stream."""
    body: dict[str, Any] = orjson.loads(response_of(error, None).content)
    return body
