"""mem0 over HTTP: its own client, or with the argument `server` the library behind the protocol of its makers' service.

That service is not public, and the REST server in their repository has other routes than their client. This server is
built like that one, but does not check bodies: Starlette (on which FastAPI builds), uvicorn, and a call of the library
in a thread for each request.
"""

import os
import sys
import threading
from collections.abc import Mapping
from typing import Any

from benchmarks.peers.hosted.host import Setup, serve
from benchmarks.peers.hosted.mem0_peer import Mem0

_PAGE = 200


class Client(Mem0):
    """mem0's client. `database_url` in the setup is the address of the service, and `key` its API key."""

    def start(self, setup: Setup) -> None:
        os.environ |= {"MEM0_DIR": setup.folder, "MEM0_TELEMETRY": "False"}
        from mem0 import MemoryClient

        self._memory = MemoryClient(api_key=setup.key, host=setup.database_url)

    def stored(self, user: str) -> list[str]:
        found = self._memory.get_all(filters={"user_id": user}, page=1, page_size=_PAGE)
        return [memory["memory"] for memory in found["results"]]

    def delete_person(self, user: str) -> None:
        self._memory.delete_users(user_id=user)


class Server(Mem0):
    def start(self, setup: Setup) -> None:
        import uvicorn

        super().start(setup)
        config = uvicorn.Config(_app(self._memory), host="127.0.0.1", port=0, log_level="warning")
        self._server = uvicorn.Server(config)
        threading.Thread(target=self._server.run, daemon=True).start()

    def address(self) -> str:
        while not self._server.started:
            threading.Event().wait(0.05)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"


def _app(memory: Any) -> Any:
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    def ping(request: Request) -> JSONResponse:
        project = {"org_id": "peers", "project_id": "peers"}
        return JSONResponse({"status": "ok", "user_email": "peer@example.org", **project})

    async def add(request: Request) -> JSONResponse:
        asked = await request.json()
        options = _only(asked, "user_id", "metadata", "infer")
        return JSONResponse(await run_in_threadpool(memory.add, asked["messages"], **options))

    async def search(request: Request) -> JSONResponse:
        asked = await request.json()
        options = _only(asked, "filters", "top_k", "threshold")
        return JSONResponse(await run_in_threadpool(memory.search, asked["query"], **options))

    async def get_all(request: Request) -> JSONResponse:
        options = {**_only(await request.json(), "filters"), "top_k": int(request.query_params["page_size"])}
        return JSONResponse(await run_in_threadpool(memory.get_all, **options))

    def delete_user(request: Request) -> JSONResponse:
        return JSONResponse(memory.delete_all(user_id=request.path_params["name"]))

    return Starlette(
        routes=[
            Route("/v1/ping/", ping),
            Route("/v3/memories/add/", add, methods=["POST"]),
            Route("/v3/memories/search/", search, methods=["POST"]),
            Route("/v3/memories/", get_all, methods=["POST"]),
            Route("/v2/entities/user/{name}/", delete_user, methods=["DELETE"]),
        ]
    )


def _only(asked: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: asked[name] for name in names if name in asked}


if __name__ == "__main__":
    serve(Server() if sys.argv[1:] == ["server"] else Client())
