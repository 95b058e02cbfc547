"""mem0's own client: `database_url` is the address of the service that it asks, `key` a key of it."""

import os

from benchmarks.peers.hosted.host import Setup, serve
from benchmarks.peers.hosted.mem0_peer import Mem0

_PAGE = 200


class Mem0Client(Mem0):
    def start(self, setup: Setup, *, first: bool) -> None:
        os.environ |= {"MEM0_DIR": setup.folder, "MEM0_TELEMETRY": "False"}
        from mem0 import MemoryClient

        self._memory = MemoryClient(api_key=setup.key, host=setup.database_url)

    def stored(self, user: str) -> list[str]:
        found = self._memory.get_all(filters={"user_id": user}, page=1, page_size=_PAGE)
        return [memory["memory"] for memory in found["results"]]

    def delete_person(self, user: str) -> None:
        self._memory.delete_users(user_id=user)


if __name__ == "__main__":
    serve(Mem0Client())
