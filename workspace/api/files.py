from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from django.conf import settings
from pydantic import Field, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import Relationship
from web.errors import NotAllowed
from web.fields import Answer, Body, JsonObject, Query
from web.headers import expected_sha256
from web.operations import operation
from workspace.api.schemas import (
    BranchName,
    ChangeQuery,
    CommittedAnswer,
    FileAnswer,
    FileChanges,
    FileLineAnswer,
    FileQuery,
    FilesAnswer,
    FilesQuery,
    FileWrite,
    decode,
    encode,
)
from workspace.errors import ToolRefused
from workspace.file_tools import FileTools
from workspace.files import change_files, list_files, read_file, read_files
from workspace.generated import made_elsewhere, supplied_specs
from workspace.models import MAIN
from workspace.models.agent_session import branch_of
from workspace.store import Head, NewCommit
from workspace.tool_definitions import definitions
from workspace.trees import EXECUTABLE

TAG = "Workspace"
AROUND = 4096  # bytes of JSON around a file's content
GROWN = 6  # one byte of content takes at most this many bytes in JSON


class WorkspaceView(ApiView):
    """A view of a relationship's files, sessions or tools. The relationship's tokens may use it too."""

    open_to_tokens: ClassVar[bool | tuple[str, ...]] = True

    def owner(self, relationship_id: UUID) -> Relationship:
        """The project's relationship, loaded with what resolving its configuration needs. Raises NotFound."""
        return self.get_relationship(relationship_id, "companion", "user", "project")

    def written(self, branch: str) -> str:
        """Return the branch if the caller may write to it. Raises NotAllowed."""
        session_id = self.credentials.session_id
        if session_id is not None and branch != (own := branch_of(session_id)):
            raise NotAllowed(f"This token writes to its session's own branch: send {own!r} as `branch`.")
        return branch

    def max_body_bytes(self) -> int:
        """Room for a file of the largest size in its longest spelling as JSON."""
        limit: int = max(settings.MAX_BODY_BYTES, GROWN * settings.MAX_FILE_BYTES + AROUND)
        return limit


class FilesView(WorkspaceView):
    open_to_sessions = ("POST",)

    @operation("files_list", "List files", answers={200: FilesAnswer})
    def get(self, request: Request, relationship_id: UUID, query: FilesQuery) -> Response:
        """The files of a branch, or as they were at a commit. On main, generated files are up to date."""
        relationship = self.owner(relationship_id)
        files, commit = list_files(relationship, query.branch, at=query.at or "")
        specs = supplied_specs(relationship.companion_id)
        shown = [
            FileLineAnswer.of(
                entry,
                path=path,
                executable=entry.mode == EXECUTABLE,
                read_only=bool(made_elsewhere(path, query.branch, specs)),
            )
            for path, entry in files.items()
            if path.startswith(query.prefix)
            and (query.depth is None or path[len(query.prefix) :].strip("/").count("/") < query.depth)
        ]
        return self.answer({"branch": query.branch, "commit": commit, "files": shown})

    @operation(
        "files_change",
        "Change several files in one commit",
        answers={200: CommittedAnswer},
        problems=(404, 409),
    )
    def post(
        self, request: Request, relationship_id: UUID, query: ChangeQuery, body: FileChanges
    ) -> Response:
        """Write, delete and move files. If one change fails, none is made."""
        relationship = self.owner(relationship_id)
        changes: dict[str, bytes | None] = {}
        expected: dict[str, str] = {}
        moved = [change.path for change in body.changes if change.move_to is not None]
        contents = read_files(relationship, moved, query.branch)
        for change in body.changes:
            if change.sha256 is not None:
                expected[change.path] = change.sha256
            if change.move_to is not None:
                sha256, changes[change.move_to] = contents[change.path]
                expected.setdefault(change.path, sha256)
                expected[change.move_to] = ""
            changes[change.path] = None if change.content is None else decode(change.content, change.encoding)
        done = change_files(
            relationship=relationship,
            changes=changes,
            by=self.actor,
            branch=self.written(query.branch),
            message=body.message,
            expected=expected,
            can_run={
                change.move_to or change.path: change.executable
                for change in body.changes
                if change.executable is not None
            },
        )
        return self.answer(_committed(done))


class FileView(WorkspaceView):
    open_to_sessions = ("PUT", "DELETE")

    @operation("files_read", "Read a file", answers={200: FileAnswer}, etag=True)
    def get(self, request: Request, relationship_id: UUID, path: str, query: FileQuery) -> Response:
        read = read_file(self.owner(relationship_id), path, query.branch, at=query.at or "")
        content, encoding = encode(read.content)
        shown = FileAnswer.of(read, size=len(read.content), content=content, encoding=encoding)
        return self._tagged(shown, read.sha256)

    @operation(
        "files_write",
        "Write a file",
        answers={200: CommittedAnswer},
        problems=(409,),
        if_match="sha256",
        etag=True,
    )
    def put(
        self, request: Request, relationship_id: UUID, path: str, query: ChangeQuery, body: FileWrite
    ) -> Response:
        """With If-Match the file is written only if it still has the content you read, or already has the new one."""
        content = decode(body.content, body.encoding)
        done = self._change(relationship_id, path, query.branch, content, message=body.message)
        return self._tagged(_committed(done), done.files[path].sha256)

    @operation(
        "files_delete", "Delete a file", answers={200: CommittedAnswer}, problems=(409,), if_match="sha256"
    )
    def delete(self, request: Request, relationship_id: UUID, path: str, query: ChangeQuery) -> Response:
        """Its history stays."""
        done = self._change(relationship_id, path, query.branch, None)
        return self.answer(_committed(done))

    def _change(
        self, relationship_id: UUID, path: str, branch: str, content: bytes | None, *, message: str = ""
    ) -> Head:
        expected = expected_sha256(self.request)
        return change_files(
            relationship=self.owner(relationship_id),
            changes={path: content},
            by=self.actor,
            branch=self.written(branch),
            message=message,
            expected={} if expected is None else {path: expected},
        )

    def _tagged(self, data: dict[str, Any], sha256: str) -> Response:
        answer = self.answer(data)
        answer.headers["ETag"] = f'"{sha256}"'
        return answer


def _committed(done: Head) -> dict[str, Any]:
    return CommittedAnswer.of(done, changed=isinstance(done, NewCommit))


class DefinitionsQuery(Query):
    format: Literal["anthropic", "openai", "gemini"] = "anthropic"


class DefinitionsAnswer(Answer):
    tools: list[dict[str, Any]]
    """In the form that the vendor's API takes."""


class FileToolCall(Body):
    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    """`memory`, with its `command` in the input; or the command itself; or grep, find, recall, commit."""
    input: JsonObject = Field(default_factory=dict)
    """As the model gave it."""
    branch: BranchName = MAIN


class FileToolAnswer(Answer):
    result: str
    """Text for the model."""
    is_error: bool


class DefinitionsView(ApiView):
    @operation("file_tools_list", "List the file tools", answers={200: DefinitionsAnswer})
    def get(self, request: Request, query: DefinitionsQuery) -> Response:
        """Ready to be passed to a model."""
        return self.answer({"tools": definitions(query.format)})


class FileToolsView(WorkspaceView):
    scopes: ClassVar = {"POST": "write"}
    open_to_sessions = ("POST",)

    @operation("file_tools_call", "Call a file tool for a model", answers={200: FileToolAnswer})
    def post(self, request: Request, relationship_id: UUID, body: FileToolCall) -> Response:
        """The result is text for the model. If the tool refuses, the text says why and `is_error` is true."""
        tools = FileTools(self.owner(relationship_id), self.written(body.branch), self.actor)
        try:
            said, is_error = tools.run(body.name, body.input), False
        except ToolRefused as error:
            said, is_error = error.detail, True
        return self.answer({"result": said, "is_error": is_error})
