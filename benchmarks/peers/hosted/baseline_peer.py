"""What one would write in an afternoon: one table, every message appended, the nearest ones shown. 80 lines.

No model is asked: what was said is what is remembered, so nothing that changes is ever replaced.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from openai import OpenAI
from pgvector import Vector
from pgvector.psycopg import register_vector
from psycopg import Connection
from psycopg_pool import ConnectionPool

from benchmarks.peers.hosted.host import Peer, Turn, serve
from benchmarks.peers.vectors import vector_of

_TABLE = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE memory (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person text NOT NULL, content text NOT NULL, vector vector({dimensions}) NOT NULL
);
CREATE INDEX ON memory (person)
"""


class Baseline(Peer):
    def start(self, setup: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        self._openai = OpenAI(base_url=setup["model_url"], api_key=setup["key"])
        self._model, self._dimensions = setup["embedding_model"], setup["dimensions"]
        if first:
            with Connection.connect(setup["database_url"]) as connection:
                for statement in _TABLE.format(dimensions=self._dimensions).split(";"):
                    connection.execute(statement.encode())
        self._pool = ConnectionPool(setup["database_url"], min_size=1, max_size=16, configure=register_vector)
        return {"pid": os.getpid()}

    def hand_over(self, user: str, messages: Turn) -> None:
        texts = [message["content"] for message in messages]
        with self._pool.connection() as connection, connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO memory (person, content, vector) VALUES (%s, %s, %s)",
                [(user, text, vector) for text, vector in zip(texts, self._embed(texts), strict=True)],
            )

    def fetch(self, user: str, question: str) -> list[str]:
        (vector,) = self._embed([question])
        return self._read(
            "SELECT content FROM memory WHERE person = %s ORDER BY vector <=> %s LIMIT 20", user, vector
        )

    def stored(self, user: str) -> list[str]:
        return self._read("SELECT content FROM memory WHERE person = %s ORDER BY id", user)

    def delete_person(self, user: str) -> None:
        with self._pool.connection() as connection:
            connection.execute("DELETE FROM memory WHERE person = %s", [user])

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        rows = "COPY memory (person, content, vector) FROM STDIN"
        with self._pool.connection() as connection:
            with connection.cursor().copy(rows) as copy:
                for user, texts in memories.items():
                    for text in texts:
                        copy.write_row((user, text, str(list(vector_of(text, self._dimensions)))))
            connection.execute("ANALYZE memory")

    def _embed(self, texts: list[str]) -> list[Vector]:
        answer = self._openai.embeddings.create(model=self._model, input=texts, dimensions=self._dimensions)
        return [Vector(item.embedding) for item in answer.data]

    def _read(self, statement: str, *values: Any) -> list[str]:
        with self._pool.connection() as connection:
            return [row[0] for row in connection.execute(statement.encode(), values)]


if __name__ == "__main__":
    serve(Baseline())
