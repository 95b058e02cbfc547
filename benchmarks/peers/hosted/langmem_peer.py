"""LangMem's store manager over LangGraph's AsyncPostgresStore, as their documentation sets them up.

The asynchronous one: the other holds a lock while it embeds, so that of several callers one at a time is served.
"""

import asyncio
import json
import os
import threading
import uuid
from collections.abc import Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from benchmarks.peers.hosted.host import GIVE_BACK, INDEXES_OF, ROOM, Peer, Turn, folder_of, serve
from benchmarks.peers.vectors import vector_of

TOP = 20
_ALL = 10_000
_ROOT = "memories"
_FIELD = "content.content"
T = TypeVar("T")


class LangMem(Peer):
    def start(self, setup: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        folder_of(setup)
        os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._wait(self._open(setup, first=first))
        return {"pid": os.getpid()}

    async def _open(self, setup: Mapping[str, Any], *, first: bool) -> None:
        from langchain_openai import ChatOpenAI, OpenAIEmbeddings
        from langgraph.store.postgres import AsyncPostgresStore
        from langmem import create_memory_store_manager
        from psycopg.rows import dict_row
        from psycopg_pool import AsyncConnectionPool

        asked = {"base_url": setup["model_url"], "api_key": setup["key"]}
        self._dimensions = setup["dimensions"]
        embedder = OpenAIEmbeddings(
            model=setup["embedding_model"],
            dimensions=self._dimensions,
            check_embedding_ctx_length=False,  # texts, not token numbers
            **asked,
        )
        kwargs = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        self._pool: Any = AsyncConnectionPool(
            setup["database_url"], min_size=1, max_size=20, kwargs=kwargs, open=False
        )
        await self._pool.open()
        index = {"dims": self._dimensions, "embed": embedder, "fields": [_FIELD]}
        self._store = AsyncPostgresStore(self._pool, index=index)
        if first:
            await self._store.setup()
        self._manager = create_memory_store_manager(
            ChatOpenAI(model=setup["model_name"], **asked),
            namespace=(_ROOT, "{langgraph_user_id}"),
            store=self._store,
            query_limit=TOP,
            enable_inserts=True,
            enable_deletes=True,
        )

    def hand_over(self, user: str, messages: Turn) -> None:
        config = {"configurable": {"langgraph_user_id": user}}
        self._wait(
            self._manager.ainvoke({"messages": [dict(message) for message in messages]}, config=config)
        )

    def fetch(self, user: str, question: str) -> list[str]:
        found = self._wait(self._store.asearch((_ROOT, user), query=question, limit=TOP))
        return [item.value["content"]["content"] for item in found]

    def stored(self, user: str) -> list[str]:
        found = self._wait(self._store.asearch((_ROOT, user), limit=_ALL))
        return [item.value["content"]["content"] for item in found]

    def delete_person(self, user: str) -> None:
        for item in self._wait(self._store.asearch((_ROOT, user), limit=_ALL)):
            self._wait(self._store.adelete(item.namespace, item.key))

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        self._wait(self._load(memories))

    async def _load(self, memories: Mapping[str, Sequence[str]]) -> None:
        """The rows that `put` writes, into the store's own tables with their own indexes."""
        now = datetime.now(UTC)
        rows = [
            (f"{_ROOT}.{user}", uuid.uuid4().hex, text) for user, texts in memories.items() for text in texts
        ]
        kept = "COPY store (prefix, key, value, created_at, updated_at) FROM STDIN"
        vectors = "COPY store_vectors (prefix, key, field_name, embedding, created_at, updated_at) FROM STDIN"
        async with self._pool.connection() as connection, connection.cursor() as cursor:
            await cursor.execute(INDEXES_OF, ["store_vectors"])
            indexes = await cursor.fetchall()
            for index in indexes:
                await cursor.execute(index["drop"])
            async with cursor.copy(kept) as copy:
                for prefix, key, text in rows:
                    value = {"kind": "Memory", "content": {"content": text}}
                    await copy.write_row((prefix, key, json.dumps(value), now, now))
            async with cursor.copy(vectors) as copy:
                for prefix, key, text in rows:
                    vector = str(list(vector_of(text, self._dimensions)))
                    await copy.write_row((prefix, key, _FIELD, vector, now, now))
            made = [index["make"] for index in indexes]
            for statement in (*ROOM, *made, *GIVE_BACK, "ANALYZE store, store_vectors"):
                await cursor.execute(statement)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Of a caller's thread, on the one loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


if __name__ == "__main__":
    serve(LangMem())
