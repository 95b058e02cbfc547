"""Exports and imports an agent's files: those on main, as they are now. Their history can be moved by git."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from relationships.models import Relationship
from web.actor import Actor
from workspace.files import change_files
from workspace.generated import supplied_specs, written_files
from workspace.models import MAIN
from workspace.store import read_blobs, read_head
from workspace.trees import EXECUTABLE, text_of

FILES_AT_ONCE = 20
Row = Mapping[str, Any]


def files_to_keep(relationship_id: UUID, *, companion_id: UUID) -> Iterator[dict[str, Any]]:
    """Yield each file that is not generated, with a few in memory at a time."""
    head, supplied = read_head(relationship_id, MAIN), supplied_specs(companion_id)
    files = sorted(written_files(relationship_id, head.files, supplied).items()) if head else []
    for place in range(0, len(files), FILES_AT_ONCE):
        some = files[place : place + FILES_AT_ONCE]
        contents = read_blobs(relationship_id, [entry for _, entry in some])
        for path, entry in some:
            yield {"path": path, **_encoded(contents[entry.sha256]), "executable": entry.mode == EXECUTABLE}


def content_of(row: Row) -> bytes:
    """Decode a row's content. Raises ValueError for invalid base64."""
    content: str = row["content"]
    return b64decode(content, validate=True) if row["encoding"] == "base64" else content.encode()


def take_over_files(relationship: Relationship, rows: Iterable[Row], *, by: Actor) -> int:
    """Commit an archive's files at once, unless main exists already (moved by git before). Returns how many.

    Raises the same errors as change_files.
    """
    if read_head(relationship.id, MAIN):
        return 0
    files: dict[str, bytes] = {}
    can_run: dict[str, bool] = {}
    for row in rows:
        files[row["path"]] = content_of(row)
        can_run[row["path"]] = row["executable"]
    if files:
        message = "Import the files"
        change_files(relationship=relationship, changes=files, can_run=can_run, by=by, message=message)
    return len(files)


def _encoded(content: bytes) -> dict[str, str]:
    text = text_of(content)
    if text is None:
        return {"content": b64encode(content).decode(), "encoding": "base64"}
    return {"content": text, "encoding": "utf-8"}
