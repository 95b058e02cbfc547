"""Answers that take long and need no database: they are made outside the threads that answer requests."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

LATER = "rapport.later"  # in a request's environ: the server can make such answers, in other threads


class LaterResponse(HttpResponse):
    """A response whose answer is made by calling `later`, which raises nothing. The headers of this one come first.

    If the client leaves, `later`'s calls to other servers are ended (web.disconnects), unless it is `made_to_the_end`.
    """

    def __init__(self, later: Callable[[], HttpResponseBase], *, made_to_the_end: bool = False) -> None:
        super().__init__()
        self.later, self.made_to_the_end = later, made_to_the_end


def can_wait(request: HttpRequest) -> bool:
    """Return whether the server supports LaterResponse."""
    return bool(request.META.get(LATER))
