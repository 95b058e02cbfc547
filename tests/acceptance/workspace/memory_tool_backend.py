"""A plugin for pytest, under which the anthropic SDK's tests of its memory tool run against Rapport.

The SDK's two classes that keep files on a disk are replaced by ours, which keep them in Rapport, over REST; a folder
beside each is kept equal to its files before and after every command, because those tests look there.
"""

import os
import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from anthropic.lib.tools import _beta_builtin_memory_tool as sdk
from anthropic.lib.tools._beta_functions import ToolError
from anyio import Path as AsyncPath

CLIENT = httpx.Client(
    base_url=os.environ["RAPPORT_URL"],
    headers={"Authorization": f"Bearer {os.environ['RAPPORT_KEY']}"},
    timeout=60,
    trust_env=False,
)
COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename")


class Backend:
    """One relationship's files, and the folder that mirrors them."""

    def __init__(self, base_path: str) -> None:
        self.base_path = Path(base_path)
        self.memory_root = self.base_path / "memories"
        self.memory_root.mkdir(parents=True, exist_ok=True)
        pair = {"companion": "ada", "user": uuid4().hex}
        self.here = f"/v1/relationships/{CLIENT.post('/v1/relationships', json=pair).json()['id']}"

    def run(self, command: Any) -> str:
        self._push()
        given = command.model_dump(exclude_none=True)
        answer = CLIENT.post(f"{self.here}/file-tools", json={"name": "memory", "input": given}).json()
        self._pull()
        if answer["is_error"]:
            raise ToolError(answer["result"])
        return str(answer["result"])

    def _kept(self) -> list[str]:
        listed = CLIENT.get(f"{self.here}/files").json()["files"]
        return [line["path"] for line in listed if not line["read_only"]]

    def _push(self) -> None:
        files = {path.relative_to(self.memory_root).as_posix(): path for path in self._on_disk()}
        changes = [{"path": name, "content": path.read_bytes().decode()} for name, path in files.items()]
        for change in changes:
            CLIENT.put(f"{self.here}/files/{change['path']}", json={"content": change["content"]})

    def _pull(self) -> None:
        kept = self._kept()
        for path in self._on_disk():
            if path.relative_to(self.memory_root).as_posix() not in kept:
                path.unlink()
        for name in kept:
            path = self.memory_root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(CLIENT.get(f"{self.here}/files/{name}").json()["content"].encode())

    def _on_disk(self) -> list[Path]:
        return [path for path in self.memory_root.rglob("*") if path.is_file()]


class RapportMemoryTool(sdk.BetaAbstractMemoryTool):
    def __init__(self, base_path: str = "") -> None:
        super().__init__()
        self.backend = Backend(base_path or tempfile.mkdtemp())
        self.base_path, self.memory_root = self.backend.base_path, self.backend.memory_root

    def view(self, command: Any) -> str:
        return self.backend.run(command)

    create = str_replace = insert = delete = rename = view


class RapportAsyncMemoryTool(sdk.BetaAsyncAbstractMemoryTool):
    def __init__(self, base_path: str = "") -> None:
        super().__init__()
        self.backend = Backend(base_path or tempfile.mkdtemp())
        self.base_path = AsyncPath(self.backend.base_path)
        self.memory_root = AsyncPath(self.backend.memory_root)

    async def view(self, command: Any) -> str:
        return self.backend.run(command)

    create = str_replace = insert = delete = rename = view


sdk.BetaLocalFilesystemMemoryTool = RapportMemoryTool  # type: ignore[misc,assignment]
sdk.BetaAsyncLocalFilesystemMemoryTool = RapportAsyncMemoryTool  # type: ignore[misc,assignment]
