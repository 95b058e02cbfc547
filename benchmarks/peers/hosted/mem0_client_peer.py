"""mem0's own client: `database_url` is the address of the service that it asks, `key` a key of it."""

import os
from collections.abc import Sequence

from benchmarks.peers.hosted.host import Peer, Setup, Turn, serve

TOP = 20
_PAGE = 200


class Mem0Client(Peer):
    def start(self, setup: Setup, *, first: bool) -> None:
        os.environ |= {"MEM0_DIR": setup.folder, "MEM0_TELEMETRY": "False"}
        from mem0 import MemoryClient

        self._memory = MemoryClient(api_key=setup.key, host=setup.database_url)

    def hand_over(self, user: str, messages: Turn) -> None:
        self._memory.add([dict(message) for message in messages], user_id=user)

    def fetch(self, user: str, question: str) -> list[str]:
        found = self._memory.search(question, filters={"user_id": user}, top_k=TOP)
        return [memory["memory"] for memory in found["results"]]

    def stored(self, user: str) -> list[str]:
        found = self._memory.get_all(filters={"user_id": user}, page=1, page_size=_PAGE)
        return [memory["memory"] for memory in found["results"]]

    def delete_person(self, user: str) -> None:
        self._memory.delete_users(user_id=user)

    def remember(self, user: str, texts: Sequence[str]) -> None:
        said = [{"role": "user", "content": text} for text in texts]
        self._memory.add(said, user_id=user, infer=False)


if __name__ == "__main__":
    serve(Mem0Client())
