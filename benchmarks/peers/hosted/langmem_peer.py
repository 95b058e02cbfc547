"""LangMem's store manager over LangGraph's AsyncPostgresStore, as their documentation sets them up.

The synchronous store would serve one caller at a time, because it holds a lock while it embeds.
"""

import asyncio
import os
import threading
import uuid
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from benchmarks.peers.hosted.host import ALL, EMBEDDING_MODEL, MODEL, TOP, Peer, Setup, Turn, serve

_ROOT = "memories"
_FIELD = "content.content"
T = TypeVar("T")


class LangMem(Peer):
    def start(self, setup: Setup) -> None:
        os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._wait(self._open(setup))

    async def _open(self, setup: Setup) -> None:
        from langchain_openai import ChatOpenAI, OpenAIEmbeddings
        from langgraph.store.postgres import AsyncPostgresStore
        from langmem import create_memory_store_manager
        from psycopg.rows import dict_row
        from psycopg_pool import AsyncConnectionPool

        asked = {"base_url": setup.model_url, "api_key": setup.key}
        embedder = OpenAIEmbeddings(
            model=EMBEDDING_MODEL,
            dimensions=setup.dimensions,
            check_embedding_ctx_length=False,  # texts, not token numbers
            **asked,
        )
        kwargs = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        self._pool: Any = AsyncConnectionPool(
            setup.database_url, min_size=1, max_size=20, kwargs=kwargs, open=False
        )
        await self._pool.open()
        index = {"dims": setup.dimensions, "embed": embedder, "fields": [_FIELD]}
        self._store = AsyncPostgresStore(self._pool, index=index)
        await self._store.setup()
        self._manager = create_memory_store_manager(
            ChatOpenAI(model=MODEL, **asked),
            namespace=(_ROOT, "{langgraph_user_id}"),
            store=self._store,
            query_limit=TOP,
            enable_inserts=True,
            enable_deletes=True,
        )

    def hand_over(self, user: str, messages: Turn) -> None:
        config = {"configurable": {"langgraph_user_id": user}}
        self._wait(self._manager.ainvoke({"messages": list(messages)}, config=config))

    def fetch(self, user: str, question: str) -> list[str]:
        return [item.value["content"]["content"] for item in self._search(user, query=question, limit=TOP)]

    def stored(self, user: str) -> list[str]:
        return [item.value["content"]["content"] for item in self._search(user, limit=ALL)]

    def delete_person(self, user: str) -> None:
        for item in self._search(user, limit=ALL):
            self._wait(self._store.adelete(item.namespace, item.key))

    def remember(self, user: str, texts: Sequence[str]) -> None:
        for text in texts:
            value = {"kind": "Memory", "content": {"content": text}}
            self._wait(self._store.aput((_ROOT, user), uuid.uuid4().hex, value))

    def _search(self, user: str, **asked: Any) -> list[Any]:
        return self._wait(self._store.asearch((_ROOT, user), **asked))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop's thread, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


if __name__ == "__main__":
    serve(LangMem())
