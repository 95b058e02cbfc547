"""mem0's `Memory`, as its documentation sets it up for pgvector and an OpenAI-compatible server."""

import os
from collections.abc import Sequence

from benchmarks.peers.hosted.host import ALL, EMBEDDING_MODEL, MODEL, TOP, Peer, Setup, Turn, serve


class Mem0(Peer):
    def start(self, setup: Setup) -> None:
        # mem0 reads these when it is imported: the folder of its SQLite history, and no telemetry.
        os.environ |= {"MEM0_DIR": setup.folder, "MEM0_TELEMETRY": "False"}
        from mem0 import Memory

        asked = {"api_key": setup.key, "openai_base_url": setup.model_url}
        store = {
            "connection_string": setup.database_url,
            "embedding_model_dims": setup.dimensions,
            "maxconn": 20,
        }
        embedder = {**asked, "model": EMBEDDING_MODEL, "embedding_dims": setup.dimensions}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "llm": {"provider": "openai", "config": {**asked, "model": MODEL}},
                "embedder": {"provider": "openai", "config": embedder},
            }
        )
        self._memory.vector_store._ensure_collection()  # before several threads do it at once

    def hand_over(self, user: str, messages: Turn) -> None:
        self._memory.add(list(messages), user_id=user)

    def fetch(self, user: str, question: str) -> list[str]:
        found = self._memory.search(question, filters={"user_id": user}, top_k=TOP)
        return [memory["memory"] for memory in found["results"]]

    def stored(self, user: str) -> list[str]:
        found = self._memory.get_all(filters={"user_id": user}, top_k=ALL)
        return [memory["memory"] for memory in found["results"]]

    def delete_person(self, user: str) -> None:
        self._memory.delete_all(user_id=user)

    def remember(self, user: str, texts: Sequence[str]) -> None:
        said = [{"role": "user", "content": text} for text in texts]
        self._memory.add(said, user_id=user, infer=False)


if __name__ == "__main__":
    serve(Mem0())
