from collections.abc import Collection
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from web.fields import Answer, Page, PageQuery
from web.headers import expected_version
from web.operations import operation
from web.pagination import page_of
from workspace.api.files import WorkspaceView
from workspace.api.schemas import (
    BlameAnswer,
    BranchAnswer,
    ChangeQuery,
    ChangesQuery,
    CheckpointAnswer,
    CheckpointBody,
    CommitAnswer,
    CommitDetailAnswer,
    CommitLine,
    CommitsQuery,
    DiffAnswer,
    DiffQuery,
    FileDiffAnswer,
    HotContextAnswer,
    HotContextBody,
    HotContextVersionAnswer,
    HunkAnswer,
    RestoreBody,
    RestoredAnswer,
)
from workspace.blame import blame
from workspace.checkpoints import restore_checkpoint, take_checkpoint
from workspace.files import read_file, write_hot_context
from workspace.history import FileDiff, get_commit, head_at, log_of, page_of_changes, trees_of
from workspace.hot_context import read_hot_context
from workspace.models import Branch, Checkpoint, Commit, HotContextVersion


def shas_of(relationship_id: UUID, ids: Collection[UUID]) -> dict[UUID, str]:
    """The SHA-1s of these commits, by ID."""
    rows = Commit.objects.for_relationship(relationship_id).filter(id__in=ids)
    return dict(rows.values_list("id", "sha"))


def _commit(commit: Commit, shas: dict[UUID, str]) -> dict[str, Any]:
    return CommitAnswer.of(commit, parents=[shas[parent] for parent in commit.parents if parent in shas])


def _diff(changes: list[FileDiff], cursor: str | None) -> dict[str, Any]:
    return {"changes": [FileDiffAnswer.of(change) for change in changes], "next_cursor": cursor}


def _rows(answer: type[Answer], relationship_id: UUID, rows: Collection[Any]) -> list[dict[str, Any]]:
    """Rows that name a commit, a session and an actor."""
    shas = shas_of(relationship_id, {row.commit_id for row in rows})
    return [
        answer.of(
            row,
            commit=shas.get(row.commit_id, ""),
            session=row.session_id,
            actor={"kind": row.actor_kind, "id": row.actor_id},
        )
        for row in rows
    ]


class CommitsView(WorkspaceView):
    @operation("commits_list", "List a branch's commits, newest first", answers={200: Page[CommitAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: CommitsQuery) -> Response:
        rows = log_of(self.owner(relationship_id), query.branch)
        page = page_of(rows, order=["-recorded_at", "-id"], page=query)
        commits: list[Commit] = page["items"]
        shas = shas_of(relationship_id, {parent for row in commits for parent in row.parents})
        return self.answer({**page, "items": [_commit(row, shas) for row in commits]})


class CommitView(WorkspaceView):
    @operation("commits_read", "Read a commit", answers={200: CommitDetailAnswer})
    def get(self, request: Request, relationship_id: UUID, sha: str, query: ChangesQuery) -> Response:
        """With the changes it made, page by page."""
        relationship = self.owner(relationship_id)
        commit = get_commit(relationship, sha)
        shas = shas_of(relationship_id, commit.parents)
        page = page_of_changes(
            relationship.id, *trees_of(relationship, commit), limit=query.limit, after_path=query.cursor or ""
        )
        return self.answer({**_commit(commit, shas), **_diff(*page)})


class DiffView(WorkspaceView):
    @operation("files_diff", "Compare two branches or commits", query=DiffQuery, answers={200: DiffAnswer})
    def get(self, request: Request, relationship_id: UUID) -> Response:
        # In this order, as the query has to name something: who may not see the relationship is not told what.
        relationship, query = self.owner(relationship_id), self.query(DiffQuery)
        sides = [head_at(relationship, revision).files for revision in (query.base, query.head)]
        page = page_of_changes(relationship.id, *sides, limit=query.limit, after_path=query.cursor or "")
        return self.answer(_diff(*page))


class BlameView(WorkspaceView):
    @operation("files_blame", "List which commit wrote each line of a file", answers={200: BlameAnswer})
    def get(self, request: Request, relationship_id: UUID, path: str, query: ChangeQuery) -> Response:
        """In line order. Binary and generated files can't be blamed."""
        relationship = self.owner(relationship_id)
        hunks = blame(relationship, query.branch, read_file(relationship, path, query.branch))
        return self.answer(
            {"hunks": [HunkAnswer.of(hunk, commit=CommitLine.of(hunk.commit)) for hunk in hunks]}
        )


class BranchesView(WorkspaceView):
    @operation("branches_list", "List branches", answers={200: Page[BranchAnswer]})
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """main, and the branches of sessions that have not been merged."""
        self.get_relationship(relationship_id)
        rows = list(Branch.objects.for_relationship(relationship_id).order_by("name"))
        shas = shas_of(relationship_id, {row.commit_id for row in rows})
        return self.answer(
            {"items": [BranchAnswer.of(row, commit=shas[row.commit_id]) for row in rows], "next_cursor": None}
        )


class CheckpointsView(WorkspaceView):
    @operation("checkpoints_list", "List checkpoints, newest first", answers={200: Page[CheckpointAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        rows = self.owned(Checkpoint, relationship_id)
        page = page_of(rows, order=["-taken_at", "-id"], page=query)
        return self.answer({**page, "items": _rows(CheckpointAnswer, relationship_id, page["items"])})

    @operation("checkpoints_take", "Take a checkpoint of main", answers={201: CheckpointAnswer})
    def post(self, request: Request, relationship_id: UUID, body: CheckpointBody) -> Response:
        row = take_checkpoint(relationship=self.owner(relationship_id), name=body.name, by=self.actor)
        return self.answer(_rows(CheckpointAnswer, relationship_id, [row])[0], status=201)


class CheckpointRestoreView(WorkspaceView):
    open_to_tokens = False

    @operation(
        "checkpoints_restore",
        "Go back to a checkpoint",
        body_optional=True,
        answers={200: RestoredAnswer},
        problems=(409,),
    )
    def post(
        self, request: Request, relationship_id: UUID, checkpoint_id: UUID, body: RestoreBody
    ) -> Response:
        """A new commit restores the files and hot context; with `memory`, the entries too. No history is lost."""
        restored = restore_checkpoint(
            relationship=self.owner(relationship_id),
            checkpoint_id=checkpoint_id,
            by=self.actor,
            memory=body.memory,
        )
        return self.answer(RestoredAnswer.of(restored))


class HotContextView(WorkspaceView):
    @operation("hot_context_read", "Read hot context", answers={200: HotContextAnswer}, etag=True)
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """The summary that the agent wrote for chat. Version 0: there is none yet."""
        self.get_relationship(relationship_id)
        content, version = read_hot_context(relationship_id)
        return self.answer({"content": content, "version": version}, version=version)

    @operation(
        "hot_context_write", "Write hot context", answers={200: HotContextAnswer}, if_match=True, etag=True
    )
    def put(self, request: Request, relationship_id: UUID, body: HotContextBody) -> Response:
        """Write the next version, which the next context shows. Unchanged content makes no new version."""
        version = write_hot_context(
            relationship=self.owner(relationship_id),
            content=body.content,
            by=self.actor,
            expected_version=expected_version(request),
        )
        return self.answer({"content": body.content, "version": version}, version=version)


class HotContextVersionsView(WorkspaceView):
    @operation(
        "hot_context_versions",
        "List hot context's versions, newest first",
        answers={200: Page[HotContextVersionAnswer]},
    )
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        rows = self.owned(HotContextVersion, relationship_id)
        page = page_of(rows, order=["-version"], page=query)
        return self.answer({**page, "items": _rows(HotContextVersionAnswer, relationship_id, page["items"])})
