"""Times contexts and searches, while the files that contexts read are in memory."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from benchmarks.scale.seed import Seeded, drawn
from benchmarks.scale.templates import question
from benchmarks.service import data_folder
from benchmarks.timing import milliseconds_of
from context.pipeline import build_context
from memory.retrieval.configuration import Retrieval
from memory.retrieval.search import search_entries

WORKING_SET = 100  # relationships that are read repeatedly, as of people who talk now
MESSAGE = "What should I cook tonight?"
# The tables of a relationship that contexts read.
READ_BY_CONTEXTS = (
    "relationships_relationship",
    "relationships_enduser",
    "relationships_snapshot",
    "relationships_message",
)
Times = dict[str, list[float]]  # milliseconds of each call, by what was read
_TEXT = Retrieval()
_VECTORS = Retrieval(embedder="offline")
_FILES = """
SELECT pg_relation_filepath(part) FROM (
    SELECT c.oid AS part FROM pg_class c WHERE c.oid = ANY(%s::regclass[])
    UNION ALL SELECT c.reltoastrelid FROM pg_class c WHERE c.oid = ANY(%s::regclass[]) AND c.reltoastrelid <> 0
    UNION ALL SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = ANY(%s::regclass[])
) parts
"""
_AT_ONCE = 1 << 20


def in_process(seeded: Seeded, *, calls: int, seed: int) -> Times:
    """`warm`: relationships of the working set; `any`: drawn from all; `in memory`: their files were read before."""
    fill_cache()
    few = seeded.draw(WORKING_SET, seed=0)
    again, anybody = [*few, *drawn(few, calls, seed=seed)], seeded.draw(calls, seed=seed)
    others, vectors = seeded.draw(calls, seed=-seed), drawn(seeded.embedded, calls, seed=seed)

    def context(_: int, id: UUID) -> None:
        build_context(project_id=seeded.project_id, relationship_id=id, message=MESSAGE)

    def search(number: int, id: UUID, retrieval: Retrieval = _TEXT) -> None:
        search_entries(
            project_id=seeded.project_id,
            relationship_id=id,
            text=question(number),
            retrieval=retrieval,
            top_k=5,
            now=timezone.now(),
        )

    for call in (context, search):  # to open connections, prepare statements and load code
        timed(call, few[:20])
    return {
        "context, warm": timed(context, again)[len(few) :],
        "context, any, in memory": timed(context, anybody),
        "search, warm": timed(search, again)[len(few) :],
        "search, any": timed(search, others),
        "search with vectors": timed(partial(search, retrieval=_VECTORS), vectors),
    }


def fill_cache() -> None:
    """Read the files of READ_BY_CONTEXTS, so that the system keeps them in memory."""
    data = data_folder()
    with connection.cursor() as cursor:
        cursor.execute(_FILES, [list(READ_BY_CONTEXTS)] * 3)
        files = [data / name for (name,) in cursor.fetchall()]
    for file in files:
        for segment in (file, *file.parent.glob(f"{file.name}.*")):
            with segment.open("rb", buffering=0) as opened:
                while opened.read(_AT_ONCE):
                    pass


def timed(call: Callable[[int, UUID], Any], ids: Sequence[UUID]) -> list[float]:
    """Milliseconds of each call, which is given its number and an ID."""
    return [milliseconds_of(partial(call, number, id)) for number, id in enumerate(ids)]
