"""LangMem's store manager over LangGraph's PostgresStore, as their documentation sets them up."""

import os
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from benchmarks.peers.hosted.host import Peer, Turn, folder_of, serve
from benchmarks.peers.vectors import vector_of

TOP = 20
_ALL = 10_000
_ROOT = "memories"


class LangMem(Peer):
    def start(self, house: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        folder_of(house)
        os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
        from langchain_openai import ChatOpenAI, OpenAIEmbeddings
        from langgraph.store.postgres import PostgresStore
        from langmem import create_memory_store_manager
        from psycopg.rows import dict_row
        from psycopg_pool import ConnectionPool

        asked = {"base_url": house["model_url"], "api_key": house["key"]}
        self._dimensions = house["dimensions"]
        embedder = OpenAIEmbeddings(
            model=house["embedding_model"],
            dimensions=self._dimensions,
            check_embedding_ctx_length=False,  # texts, not token numbers
            **asked,
        )
        kwargs = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        self._pool: Any = ConnectionPool(house["database_url"], min_size=1, max_size=20, kwargs=kwargs)
        index = {"dims": self._dimensions, "embed": embedder, "fields": ["content.content"]}
        self._store = PostgresStore(self._pool, index=index)
        if first:
            self._store.setup()
        self._manager = create_memory_store_manager(
            ChatOpenAI(model=house["model_name"], **asked),
            namespace=(_ROOT, "{langgraph_user_id}"),
            store=self._store,
            query_limit=TOP,
            enable_inserts=True,
            enable_deletes=True,
        )
        return {"pid": os.getpid()}

    def hand_over(self, user: str, messages: Turn, at: str | None, key: str | None) -> None:
        config = {"configurable": {"langgraph_user_id": user}}
        self._manager.invoke({"messages": [dict(message) for message in messages]}, config=config)

    def fetch(self, user: str, question: str) -> list[str]:
        found = self._store.search((_ROOT, user), query=question, limit=TOP)
        return [item.value["content"]["content"] for item in found]

    def stored(self, user: str) -> list[str]:
        found = self._store.search((_ROOT, user), limit=_ALL)
        return [item.value["content"]["content"] for item in found]

    def delete_person(self, user: str) -> None:
        for item in self._store.search((_ROOT, user), limit=_ALL):
            self._store.delete(item.namespace, item.key)

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        """The rows that `put` writes, into the store's own tables with their own indexes."""
        import json

        now = datetime.now(UTC)
        rows = [
            (f"{_ROOT}.{user}", uuid.uuid4().hex, text) for user, texts in memories.items() for text in texts
        ]
        kept = "COPY store (prefix, key, value, created_at, updated_at) FROM STDIN"
        vectors = "COPY store_vectors (prefix, key, field_name, embedding, created_at, updated_at) FROM STDIN"
        with self._pool.connection() as connection, connection.cursor() as cursor:
            with cursor.copy(kept) as copy:
                for prefix, key, text in rows:
                    value = {"kind": "Memory", "content": {"content": text}}
                    copy.write_row((prefix, key, json.dumps(value), now, now))
            with cursor.copy(vectors) as copy:
                for prefix, key, text in rows:
                    vector = str(list(vector_of(text, self._dimensions)))
                    copy.write_row((prefix, key, "content.content", vector, now, now))
            cursor.execute("ANALYZE store, store_vectors")


if __name__ == "__main__":
    serve(LangMem())
