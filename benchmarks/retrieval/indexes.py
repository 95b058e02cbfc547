"""What many partial indexes cost those who do not use them: in one table, and in hash partitions."""

from statistics import median
from time import perf_counter
from typing import Any
from uuid import NAMESPACE_DNS, UUID, uuid4, uuid5

import psycopg
from django.db import connection
from pgvector import HalfVector

from benchmarks.figures import Figure, Section
from benchmarks.retrieval import draw
from benchmarks.retrieval.scale import Scale

ROWS = 20  # of each relationship: what costs is how many indexes there are, not how large they are
PARTITIONS = (0, 16, 32, 64)
TIMES = 60
_SPACE = f"kind = 'entry' AND model = 'drawn' AND dimensions = {draw.DIMENSIONS}"


def measure(scale: Scale) -> Section:
    figures: list[Figure] = []
    most = max(scale.indexes)
    whose = [uuid5(NAMESPACE_DNS, str(number)) for number in range(most + 1)]
    for partitions in PARTITIONS:
        _make(whose, partitions)
        made = 0
        for count in scale.indexes:
            for number in range(made, count):
                _index(whose[number], number)
            made = count
            figures += _costs(f"{partitions or 'no'} partitions, {count:,} indexes", whose[most])
    return Section(
        "indexes",
        "Many partial indexes",
        f"A table like memory_embedding with {most + 1:,} relationships of {ROWS} rows. Planned, asked and inserted is "
        f"for a relationship without an index; {TIMES} times each, the middle. First: the first question on a new "
        "connection.",
        figures,
    )


def _make(whose: list[UUID], partitions: int) -> None:
    divided = "PARTITION BY HASH (relationship_id)" if partitions else ""
    vectors = [HalfVector(row).to_text() for row in draw.topical(ROWS)]
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_embedding")
        cursor.execute(
            "CREATE TABLE bench_embedding (relationship_id uuid, kind varchar, model varchar, dimensions int,"
            " owner_id uuid, vector halfvec, PRIMARY KEY (relationship_id, kind, model, dimensions, owner_id))"
            f" {divided}"
        )
        for place in range(partitions):
            cursor.execute(
                f"CREATE TABLE bench_embedding_{place} PARTITION OF bench_embedding"
                f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {place})"
            )
        with cursor.copy("COPY bench_embedding FROM STDIN") as copy:
            for one in whose:
                for vector in vectors:
                    copy.write_row((one, "entry", "drawn", draw.DIMENSIONS, uuid4(), vector))
        cursor.execute("ANALYZE bench_embedding")


def _index(whose: UUID, number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tableoid::regclass::text FROM bench_embedding WHERE relationship_id = %s LIMIT 1", [whose]
        )
        table = cursor.fetchone()[0]
        cursor.execute(
            f"CREATE INDEX bench_index_{number} ON {table} USING hnsw"
            f" ((vector::halfvec({draw.DIMENSIONS})) halfvec_cosine_ops)"
            f" WHERE relationship_id = '{whose}' AND {_SPACE}"
        )


def _costs(name: str, whose: UUID) -> list[Figure]:
    vector = HalfVector(draw.topical(1, seed=5)[0]).to_text()
    question = (
        f"SELECT owner_id, vector <=> '{vector}'::halfvec FROM bench_embedding"
        f" WHERE relationship_id = '{whose}' AND {_SPACE}"
    )
    insert = (
        f"INSERT INTO bench_embedding VALUES ('{whose}', 'other', 'drawn', 1, gen_random_uuid(), '{vector}')"
    )
    with connection.cursor() as cursor:
        planned = [_planning(cursor, question) for _ in range(TIMES)]
        asked = [_timed(cursor, question) for _ in range(TIMES)]
        inserted = [_timed(cursor, insert) for _ in range(TIMES)]
        cursor.execute("DELETE FROM bench_embedding WHERE kind = 'other'")
    return [
        Figure(f"{name}: planning", median(planned), "ms"),
        Figure(f"{name}: asking", median(asked), "ms"),
        Figure(f"{name}: first", _first(question), "ms"),
        Figure(f"{name}: inserting a row", median(inserted), "ms"),
    ]


def _planning(cursor: Any, question: str) -> float:
    cursor.execute(f"EXPLAIN (SUMMARY, FORMAT JSON) {question}")
    told: Any = cursor.fetchone()[0]
    return float(told[0]["Planning Time"])


def _timed(cursor: Any, statement: str) -> float:
    began = perf_counter()
    cursor.execute(statement)
    return (perf_counter() - began) * 1000


def _first(question: str) -> float:
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context", "prepare_threshold"):
        parameters.pop(name, None)
    with psycopg.connect(autocommit=True, **parameters) as session:
        began = perf_counter()
        session.execute(question).fetchall()
        return (perf_counter() - began) * 1000
