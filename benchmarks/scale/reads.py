"""Times contexts and searches: in process, and through the production server."""

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any
from uuid import UUID

from django.utils import timezone

from benchmarks.client import Client
from benchmarks.scale.lines import question
from benchmarks.scale.place import Place, drawn
from context.pipeline import build_context
from memory.retrieval.configuration import Retrieval
from memory.retrieval.search import search_entries

WORKING_SET = 100  # relationships that are read again and again: those who talk just now
MESSAGE = "What should I cook tonight?"
Times = dict[str, list[float]]
_TEXT = Retrieval()
_VECTORS = Retrieval(embedder="offline")


def warm_up(place: Place) -> None:
    """Connections, prepared statements, and what Python loads at its first use."""
    for id in place.draw(20, seed=0):
        _context(place, id)
        _search(place, id, 0, _TEXT)


def in_process(place: Place, *, calls: int, seed: int) -> Times:
    """Milliseconds by what was read: `warm` of the working set, `any` of anybody, drawn anew.

    `in memory`: what it reads was put there before.
    """
    few = place.draw(WORKING_SET, seed=0)
    again, anybody = drawn(few, calls, seed=seed), place.draw(calls, seed=seed)
    others, vectors = place.draw(calls, seed=-seed), drawn(place.embedded, calls, seed=seed)
    return {
        "context, warm": _timed(lambda _, id: _context(place, id), [*few, *again])[len(few) :],
        "context, any, in memory": _timed(lambda _, id: _context(place, id), anybody),
        "search, warm": _timed(lambda at, id: _search(place, id, at, _TEXT), [*few, *again])[len(few) :],
        "search, any": _timed(lambda at, id: _search(place, id, at, _TEXT), others),
        "search with vectors": _timed(lambda at, id: _search(place, id, at, _VECTORS), vectors),
    }


def over_http(place: Place, host: str, port: int, *, calls: int, seed: int) -> Times:
    """The same as whole requests, one after the other."""
    client = Client(host, port, place.key)
    few, anybody = place.draw(WORKING_SET, seed=0), place.draw(calls, seed=seed + 10_000)
    asked: dict[str, dict[str, Any]] = {
        "context": {"message": MESSAGE},
        "entries/search": {"query": question(seed), "top_k": 5},
    }

    def read(what: str, ids: Iterable[UUID]) -> list[float]:
        requests = [client.request("POST", f"/v1/relationships/{id}/{what}", asked[what]) for id in ids]
        return client.drive(requests, connections=1, count=len(requests)).require(200).milliseconds

    read("context", few)
    return {
        "context over HTTP, warm": read("context", drawn(few, calls, seed=seed)),
        "context over HTTP, any, in memory": read("context", anybody),
        "search over HTTP, warm": read("entries/search", drawn(few, calls, seed=seed)),
        "search over HTTP, any": read("entries/search", place.draw(calls, seed=seed + 20_000)),
    }


def after_nothing(place: Place, *, calls: int, seed: int) -> Times:
    """First reads, when the caches are empty; the connection itself is there."""
    warm_up(place)
    ids = [id for id in place.draw(calls + 20, seed=seed) if id not in place.draw(20, seed=0)]
    half = len(ids) // 2
    return {
        "context, any, from disk": _timed(lambda _, id: _context(place, id), ids[:half]),
        "search, any, from disk": _timed(lambda at, id: _search(place, id, at, _TEXT), ids[half:]),
    }


def _context(place: Place, id: UUID) -> None:
    build_context(project_id=place.project_id, relationship_id=id, message=MESSAGE)


def _search(place: Place, id: UUID, number: int, retrieval: Retrieval) -> None:
    search_entries(
        project_id=place.project_id,
        relationship_id=id,
        text=question(number),
        retrieval=retrieval,
        top_k=5,
        now=timezone.now(),
    )


def _timed(call: Callable[[int, UUID], Any], ids: Sequence[UUID]) -> list[float]:
    taken = []
    for number, id in enumerate(ids):
        began = perf_counter()
        call(number, id)
        taken.append((perf_counter() - began) * 1000)
    return taken
