"""A plugin for pytest, under which the anthropic SDK's tests of its memory tool run against Rapport.

The SDK's two classes that store files on disk are replaced by the client's adapters, which store them in Rapport. A
folder is synchronised with the files before and after every command, because those tests look there.
"""

import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

from anthropic.lib.tools import _beta_builtin_memory_tool as sdk
from anyio import Path as AsyncPath
from rapport_client import AsyncRapport, Rapport
from rapport_client.adapters.anthropic import RapportAsyncMemoryTool, RapportMemoryTool
from rapport_client.relationship import AsyncRelationship

CLIENT = Rapport(timeout=60)


class Mirror:
    """One relationship's files, and the folder that mirrors them."""

    def __init__(self, base_path: str) -> None:
        self.base_path = Path(base_path or tempfile.mkdtemp())
        self.memory_root = self.base_path / "memories"
        self.memory_root.mkdir(parents=True, exist_ok=True)
        self.owner = CLIENT.relationship(companion="ada", user=uuid4().hex)

    def push(self) -> None:
        for path in self._on_disk():
            name = path.relative_to(self.memory_root).as_posix()
            CLIENT.files_write(self.owner.id, name, content=path.read_bytes().decode())

    def pull(self) -> None:
        listed = CLIENT.files_list(self.owner.id)["files"]
        kept = [line["path"] for line in listed if not line["read_only"]]
        for path in self._on_disk():
            if path.relative_to(self.memory_root).as_posix() not in kept:
                path.unlink()
        for name in kept:
            path = self.memory_root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(CLIENT.files_read(self.owner.id, name)["content"].encode())

    def _on_disk(self) -> list[Path]:
        return [path for path in self.memory_root.rglob("*") if path.is_file()]


class OnDisk(RapportMemoryTool):
    def __init__(self, base_path: str = "") -> None:
        self.mirror = Mirror(base_path)
        super().__init__(self.mirror.owner)
        self.base_path, self.memory_root = self.mirror.base_path, self.mirror.memory_root

    def view(self, command: Any) -> str:
        self.mirror.push()
        try:
            return super().view(command)
        finally:
            self.mirror.pull()

    create = str_replace = insert = delete = rename = view


class AsyncOnDisk(RapportAsyncMemoryTool):
    def __init__(self, base_path: str = "") -> None:
        self.mirror = Mirror(base_path)
        super().__init__(AsyncRelationship(AsyncRapport(timeout=60), self.mirror.owner.id))
        self.base_path = AsyncPath(self.mirror.base_path)
        self.memory_root = AsyncPath(self.mirror.memory_root)

    async def view(self, command: Any) -> str:
        self.mirror.push()
        try:
            return await super().view(command)
        finally:
            self.mirror.pull()

    create = str_replace = insert = delete = rename = view


sdk.BetaLocalFilesystemMemoryTool = OnDisk  # type: ignore[misc,assignment]
sdk.BetaAsyncLocalFilesystemMemoryTool = AsyncOnDisk  # type: ignore[misc,assignment]
