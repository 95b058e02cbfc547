"""mem0's `Memory`, as its documentation sets it up for pgvector and an OpenAI-compatible server."""

import os
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import md5
from typing import Any

from benchmarks.peers.hosted.host import GIVE_BACK, INDEXES_OF, ROOM, Peer, Turn, folder_of, serve
from benchmarks.peers.vectors import vector_of

TOP = 20
_ALL = 10_000


class Mem0(Peer):
    def start(self, setup: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        # Read when mem0 is imported: where its SQLite history lies, and that it phones nobody.
        os.environ |= {"MEM0_DIR": str(folder_of(setup)), "MEM0_TELEMETRY": "False"}
        from mem0 import Memory

        asked = {"api_key": setup["key"], "openai_base_url": setup["model_url"]}
        self._dimensions = setup["dimensions"]
        store = {
            "connection_string": setup["database_url"],
            "embedding_model_dims": self._dimensions,
            "maxconn": 20,
        }
        embedder = {**asked, "model": setup["embedding_model"], "embedding_dims": self._dimensions}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "llm": {"provider": "openai", "config": {**asked, "model": setup["model_name"]}},
                "embedder": {"provider": "openai", "config": embedder},
            }
        )
        if first:
            self._memory.vector_store._ensure_collection()  # or two processes would race to make it
        return {"pid": os.getpid()}

    def hand_over(self, user: str, messages: Turn) -> None:
        self._memory.add([dict(message) for message in messages], user_id=user)

    def fetch(self, user: str, question: str) -> list[str]:
        found = self._memory.search(question, filters={"user_id": user}, top_k=TOP)
        return [memory["memory"] for memory in found["results"]]

    def stored(self, user: str) -> list[str]:
        found = self._memory.get_all(filters={"user_id": user}, top_k=_ALL)
        return [memory["memory"] for memory in found["results"]]

    def delete_person(self, user: str) -> None:
        self._memory.delete_all(user_id=user)

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        """The rows that `add` writes, into its own table with its own indexes."""
        import json

        now = datetime.now(UTC).isoformat()
        with self._memory.vector_store._get_cursor(commit=True) as cursor:
            indexes = cursor.execute(INDEXES_OF, ["mem0"]).fetchall()
            for drop, _ in indexes:
                cursor.execute(drop)
            with cursor.copy("COPY mem0 (id, vector, payload) FROM STDIN") as copy:
                for user, texts in memories.items():
                    for text in texts:
                        payload = _payload(user, text, now)
                        vector = str(list(vector_of(text, self._dimensions)))
                        copy.write_row((str(uuid.uuid4()), vector, json.dumps(payload)))
            for statement in (*ROOM, *(make for _, make in indexes), *GIVE_BACK, "ANALYZE mem0"):
                cursor.execute(statement)


def _payload(user: str, text: str, now: str) -> dict[str, str]:
    return {
        "user_id": user,
        "data": text,
        "text_lemmatized": text,  # as without the extra [nlp]
        "hash": md5(text.encode(), usedforsecurity=False).hexdigest(),
        "created_at": now,
        "updated_at": now,
        "attributed_to": "user",
    }


if __name__ == "__main__":
    serve(Mem0())
