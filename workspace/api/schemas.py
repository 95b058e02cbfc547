"""Request and response schemas of the file API."""

import base64
import binascii
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StringConstraints, field_validator, model_validator

from relationships.api.profiles import ActorAnswer
from web.errors import InvalidInput
from web.field_problems import matching, without_nul
from web.fields import Answer, Body, Name, PageQuery, Query
from workspace.models import MAIN

_BRANCH = "has to be main, or session/ and a session's ID"
BranchName = Annotated[str, matching(r"^(main|session/[0-9a-f-]{36})$", _BRANCH)]
Sha = Annotated[str, matching(r"^[0-9a-f]{40}$", "has to be a commit's ID, 40 of 0-9 and a-f")]
Revision = Annotated[
    str, matching(r"^(main|session/[0-9a-f-]{36}|[0-9a-f]{40})$", f"{_BRANCH}, or a commit's ID")
]
Path = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
Message = Annotated[str, without_nul(most=2000)]
Encoding = Literal["utf-8", "base64"]
Text = Annotated[str, StringConstraints(max_length=14_000_000)]


class FileQuery(Query):
    branch: BranchName = MAIN
    at: Sha | None = None
    """A commit to read instead of the branch."""


class FilesQuery(FileQuery):
    prefix: Annotated[str, StringConstraints(max_length=1024)] = ""
    """Only paths with this prefix, such as `workspace/outputs/`."""
    depth: Annotated[int, Field(ge=1, le=100)] | None = None
    """Only files less than this many folders below the prefix."""


class ChangeQuery(Query):
    branch: BranchName = MAIN


class FileWrite(Body):
    content: Text
    encoding: Encoding = "utf-8"
    message: Message = ""
    """The commit message; by default a list of the changed paths."""


class FileChange(Body):
    """One of: new content for `path`; `delete`; `move_to` another path."""

    path: Path
    content: Text | None = None
    encoding: Encoding = "utf-8"
    delete: bool = False
    move_to: Path | None = None
    executable: bool | None = None
    """Whether the file is executable. Null: unchanged, and false for a new file."""
    sha256: Annotated[str, matching(r"^([0-9a-f]{64})?$", "has to be empty, or 64 of 0-9 and a-f")] | None = (
        None
    )
    """SHA-256 that the file must have now. Empty: it must not exist. Null: not checked."""

    @model_validator(mode="after")
    def _one_thing(self) -> "FileChange":
        if [self.content is not None, self.delete, self.move_to is not None].count(True) != 1:
            raise ValueError("give one of content, delete and move_to")
        return self


class FileChanges(Body):
    changes: Annotated[list[FileChange], Field(min_length=1, max_length=200)]
    message: Message = ""

    @field_validator("changes")
    @classmethod
    def _each_once(cls, value: list[FileChange]) -> list[FileChange]:
        paths = [path for change in value for path in (change.path, change.move_to) if path]
        if len(set(paths)) != len(paths):
            raise ValueError("each path is named once")
        return value


class FileLineAnswer(Answer):
    path: str
    sha256: str
    size: int
    executable: bool
    read_only: bool
    """Generated from something else: change that instead."""


class FilesAnswer(Answer):
    branch: str
    commit: str
    """Empty if nothing has been written yet."""
    files: list[FileLineAnswer]


class FileAnswer(Answer):
    path: str
    sha256: str
    size: int
    encoding: Encoding
    """utf-8 for text, otherwise base64."""
    content: str
    commit: str
    """Empty for a generated file."""
    read_only: bool


class CommittedAnswer(Answer):
    commit: str
    changed: bool
    """False: the files already had this content."""


class CommitsQuery(PageQuery):
    branch: BranchName = MAIN


class CommitLine(Answer):
    sha: str
    author: str
    message: str
    recorded_at: datetime


class CommitAnswer(CommitLine):
    parents: list[str]


class FileDiffAnswer(Answer):
    path: str
    status: Literal["added", "changed", "deleted"]
    text: str | None
    """A unified diff; null if either side is binary."""


class DiffAnswer(Answer):
    changes: list[FileDiffAnswer]
    """For a commit: against its first parent."""
    next_cursor: str | None


class CommitDetailAnswer(DiffAnswer, CommitAnswer):
    pass


class ChangesQuery(PageQuery):
    cursor: Path | None = None
    """`next_cursor` of the previous page. A page of large files ends early."""


class DiffQuery(ChangesQuery):
    base: Revision
    """A branch or a commit."""
    head: Revision = MAIN


class HunkAnswer(Answer):
    """Adjacent lines that were written by one commit."""

    commit: CommitLine
    first_line: int
    text: str
    boundary: bool
    """True: written by this commit or an earlier one; the search stopped here."""


class BlameAnswer(Answer):
    hunks: list[HunkAnswer]


class BranchAnswer(Answer):
    name: str
    commit: str
    updated_at: datetime


class CheckpointBody(Body):
    name: Name


class RestoreBody(Body):
    memory: bool = False
    """Also restore the entries to their state at that time."""


class RestoredAnswer(Answer):
    commit: str
    entries: int
    """How many entries were restored."""


class CheckpointAnswer(Answer):
    id: UUID
    name: str
    commit: str
    session: UUID | None
    actor: ActorAnswer
    taken_at: datetime


class HotContextBody(Body):
    content: Annotated[str, StringConstraints(max_length=100_000)]
    """About 500 words; more than 700, or 2,000 tokens, are refused."""


class HotContextAnswer(Answer):
    content: str
    version: int
    """0: there is none yet."""


class HotContextVersionAnswer(Answer):
    version: int
    content: str
    tokens: int
    """Estimated."""
    commit: str
    session: UUID | None
    actor: ActorAnswer
    recorded_at: datetime


def decode(content: str, encoding: Encoding) -> bytes:
    """Raises InvalidInput."""
    if encoding == "utf-8":
        return content.encode("utf-8")
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput.of("content", "is not base64") from None


def encode(content: bytes) -> tuple[str, Encoding]:
    """Return the content as text if it is UTF-8, otherwise as base64."""
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return base64.b64encode(content).decode(), "base64"
