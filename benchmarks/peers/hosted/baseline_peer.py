"""A minimal memory: one table to which every message is appended, and of which the nearest are shown.

No model is asked, so nothing is replaced when it changes.
"""

from collections.abc import Sequence
from typing import Any

from openai import OpenAI
from pgvector import Vector
from pgvector.psycopg import register_vector
from psycopg import Connection
from psycopg_pool import ConnectionPool

from benchmarks.peers.hosted.host import EMBEDDING_MODEL, Peer, Setup, Turn, serve

_TABLE = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS memory (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person text NOT NULL, content text NOT NULL, vector vector({dimensions}) NOT NULL
);
CREATE INDEX IF NOT EXISTS memory_person ON memory (person)
"""


class Baseline(Peer):
    def start(self, setup: Setup) -> None:
        self._openai = OpenAI(base_url=setup.model_url, api_key=setup.key)
        self._dimensions = setup.dimensions
        with Connection.connect(setup.database_url) as connection:
            for statement in _TABLE.format(dimensions=self._dimensions).split(";"):
                connection.execute(statement.encode())
        self._pool = ConnectionPool(setup.database_url, min_size=1, max_size=16, configure=register_vector)

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

    def remember(self, user: str, texts: Sequence[str]) -> None:
        self.hand_over(user, [{"content": text} for text in texts])

    def _embed(self, texts: list[str]) -> list[Vector]:
        answer = self._openai.embeddings.create(
            model=EMBEDDING_MODEL, input=texts, dimensions=self._dimensions
        )
        return [Vector(item.embedding) for item in answer.data]

    def _read(self, statement: str, *values: Any) -> list[str]:
        with self._pool.connection() as connection:
            return [row[0] for row in connection.execute(statement.encode(), values)]


if __name__ == "__main__":
    serve(Baseline())
