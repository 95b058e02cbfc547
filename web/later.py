"""An answer that takes long and needs no database: it is made outside the threads that answer requests."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

LATER = "rapport.later"  # in a request's environ: the server makes such answers, in threads of their own


class LaterResponse(HttpResponse):
    """`later` gives the answer itself; the headers of this one go before it. It raises nothing.

    Who waits for it and leaves ends what it asks of others (web.leaving), unless it is `made_to_the_end`.
    """

    def __init__(self, later: Callable[[], HttpResponseBase], *, made_to_the_end: bool = False) -> None:
        super().__init__()
        self.later, self.made_to_the_end = later, made_to_the_end


def can_wait(request: HttpRequest) -> bool:
    """Whether the server would make the answer of a LaterResponse."""
    return bool(request.META.get(LATER))
