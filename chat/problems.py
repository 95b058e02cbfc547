"""Errors of the endpoint, in OpenAI's shape: its clients read nothing else."""

from typing import Any
from uuid import uuid4

import orjson
import structlog
from django.http import HttpResponse, HttpResponseBase

from chat.wire import error_of
from web.problems import problem, problem_response, title_of

log = structlog.get_logger(__name__)


def response_of(error: Exception, request: Any) -> HttpResponse:
    """What can't be foreseen is logged, without its text, which may quote a person."""
    known = problem_response(error, {"request": request})
    if known is None:
        error_id = str(uuid4())
        log.error(
            "a reply crashed",
            event_name="chat.reply.crashed",
            error_id=error_id,
            error_class=type(error).__name__,
        )
        detail = f"Something broke on our side. It was logged as {error_id}."
        known = problem(500, "internal_error", detail, error_id=error_id)
    return in_openai_shape(known)


def in_openai_shape(answer: HttpResponseBase, *, bad_input: int = 400) -> HttpResponse:
    """A problem's answer anew. What is wrong with a body is 400 there, where it is 422 with us."""
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
    shaped.tells_an_error = True  # type: ignore[attr-defined]  # web.middleware leaves it as it is
    return shaped


def told(error: Exception) -> dict[str, Any]:
    """The body of such an answer, for the end of a stream."""
    body: dict[str, Any] = orjson.loads(response_of(error, None).content)
    return body
