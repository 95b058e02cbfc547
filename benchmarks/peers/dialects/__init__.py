"""How each system asks, and how it wants to be answered: a file a system, each with `answer(request, book)`.

What is known is read from the prompt itself, as a model would: nobody is told what was not shown to it.
"""

from collections.abc import Callable

from benchmarks.peers.dialects import langmem, mem0, rapport
from benchmarks.peers.dialects.base import Answer, Request
from benchmarks.peers.facts import Book

__all__ = ["Answer", "NotUnderstood", "Request", "answer"]

_DIALECTS: tuple[Callable[[Request, Book], Answer | None], ...] = (
    langmem.answer,
    mem0.answer,
    rapport.answer,
)


class NotUnderstood(Exception):
    """A prompt in no known dialect: a system has changed how it asks, and its figures would mean nothing."""


def answer(request: Request, book: Book) -> Answer:
    """Raises NotUnderstood."""
    for dialect in _DIALECTS:
        said = dialect(request, book)
        if said is not None:
            return said
    raise NotUnderstood(f"Nobody asks like this: {request.last[:200]!r}")
