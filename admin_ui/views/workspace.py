"""A relationship's workspace: files with their history, agents' sessions, checkpoints, and held changes."""

from operator import itemgetter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Case, OuterRef, QuerySet, Subquery, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from admin_ui.access import RelationshipAction
from admin_ui.held_changes import held_changes
from admin_ui.paging import order_of, page_of
from admin_ui.params import parse_uuid, text_or_json, text_param, version_param
from admin_ui.words import sentence_of
from web.errors import RapportError, StaleVersion
from workspace.blame import blame
from workspace.checkpoints import restore_checkpoint, take_checkpoint
from workspace.files import read_file, write_hot_context
from workspace.gateway.tools import approve_tool
from workspace.generated import SPEC_PATH, generated_paths, made_elsewhere, written_files
from workspace.history import diff_trees, get_commit, head_at, log_of, log_of_file, paths_between, trees_of
from workspace.hot_context import MOST_WORDS, read_hot_context
from workspace.models import (
    MAIN,
    AgentSession,
    AgentStep,
    Branch,
    Checkpoint,
    HotContextVersion,
    SessionState,
    StepState,
    Tool,
    Worker,
)
from workspace.models.agent_session import OPEN
from workspace.sessions.commands import (
    finish_session,
    get_session,
    pause_session,
    resume_session,
    retry_session,
    start_session,
    stop_session,
)
from workspace.sessions.decide import decide_call, decide_held
from workspace.store import read_head
from workspace.trees import text_of

SHOWN = 50
FILES_A_PAGE = 20  # of a commit
FILE_COLUMNS: dict[str, Any] = {"path": itemgetter(0), "size": lambda file: file[1] or 0}
VERBS = {"pause": pause_session, "resume": resume_session, "stop": stop_session, "retry": retry_session}


class WorkspacePart(RelationshipAction):
    tab = "workspace"

    def redirect_to_workspace(self, said: str = "") -> HttpResponse:
        """Redirect to the workspace's page, with a message if there is one."""
        if said:
            messages.success(self.request, said)
        return redirect("admin_ui:relationship_workspace", self.relationship.id)


class WorkspaceView(WorkspacePart):
    def get(self, request: HttpRequest) -> HttpResponse:
        relationship = self.relationship
        branch = text_param(request.GET, "branch") or MAIN
        head, order = read_head(relationship.id, branch), order_of(request, FILE_COLUMNS, default="path")
        tools = list(Tool.objects.filter(companion_id=relationship.companion_id).order_by("name"))
        made = generated_paths(relationship, tools) if branch == MAIN else []
        files_there = head.files if head else {}
        if branch == MAIN:
            files_there = written_files(relationship.id, files_there, made)
        written = {path: file.size for path, file in files_there.items()}
        files: list[tuple[str, int | None]] = [*written.items(), *((path, None) for path in made)]
        files.sort(key=FILE_COLUMNS[order.removeprefix("-")], reverse=order.startswith("-"))
        content, version = read_hot_context(relationship.id)
        newest = _with_calls(relationship.id).order_by("-created_at")
        sessions = page_of(request, newest, size=SHOWN, name="sessions")
        tasks = {session.branch: session.task for session in sessions.rows}
        names = Branch.objects.for_relationship(relationship.id).order_by("name")
        labels = {name: tasks.get(name, name) for name in names.values_list("name", flat=True)}
        return self.show(
            "workspace/detail",
            branch=branch,
            order=order,
            branches=labels.items(),
            branch_label=labels.get(branch, branch),
            files=[(path, size, made_elsewhere(path)) for path, size in files],
            agents_tools=sorted(filter(SPEC_PATH.fullmatch, written)) if branch == MAIN else [],
            tools=tools,
            hot=content,
            version=version,
            sessions=sessions,
            calls=[session for session in sessions.rows if session.call],
            held=held_changes(relationship, head if branch == MAIN else read_head(relationship.id, MAIN)),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """Start a session of the companion's model."""
        if task := text_param(request.POST, "task", limit=20_000):
            start_session(relationship=self.relationship, task=task, worker=Worker.BUILT_IN, by=self.actor)
        return redirect(request.path)


def _with_calls(relationship_id: UUID) -> QuerySet[AgentSession]:
    """Return the agents' sessions. `call`: the tool that a running session waits to call until it is approved."""
    steps = AgentStep.objects.for_relationship(relationship_id).filter(state=StepState.WAITING)
    call = steps.filter(session_id=OuterRef("id")).order_by("number").values("tool")[:1]
    running = When(state=SessionState.RUNNING, then=Subquery(call))
    sessions: QuerySet[AgentSession] = AgentSession.objects.for_relationship(relationship_id)
    return sessions.annotate(call=Case(running))


class HistoryView(WorkspacePart):
    def get(self, request: HttpRequest) -> HttpResponse:
        """Show a branch's commits, and the checkpoints."""
        branch = text_param(request.GET, "branch") or MAIN
        owned = Checkpoint.objects.for_relationship(self.relationship.id).order_by("-taken_at", "-id")
        sessions = AgentSession.objects.for_relationship(self.relationship.id).filter(
            id=OuterRef("session_id")
        )
        checkpoints = owned.annotate(task=Subquery(sessions.values("task")))
        commits = log_of(self.relationship, branch).order_by("-recorded_at", "-id")
        return self.show(
            "workspace/history",
            branch=branch,
            checkpoints=page_of(request, checkpoints, size=SHOWN, name="checkpoints"),
            page=page_of(request, commits, size=SHOWN),
        )


class FileView(WorkspacePart):
    def get(self, request: HttpRequest) -> HttpResponse:
        path, branch = text_param(request.GET, "path", limit=1024), text_param(request.GET, "branch") or MAIN
        read = read_file(self.relationship, path, branch)
        text = text_of(read.content)
        ctx: dict[str, Any] = {"read": read, "text": text, "branch": branch}
        if text and read.commit and request.GET.get("view") == "blame":
            ctx["hunks"] = blame(self.relationship, branch, read)
        else:
            ctx["changes"] = log_of_file(self.relationship, branch, path, most=SHOWN)
        return self.show("workspace/file", **ctx)


class CommitView(WorkspacePart):
    def get(self, request: HttpRequest, sha: str) -> HttpResponse:
        """Show what a commit changed; with ?base=, the difference between both commits."""
        relationship = self.relationship
        commit, base = get_commit(relationship, sha), text_param(request.GET, "base")
        before, after = (
            (head_at(relationship, base).files, head_at(relationship, sha).files)
            if base
            else trees_of(relationship, commit)
        )
        page = page_of(request, paths_between(before, after), size=FILES_A_PAGE)
        changes = diff_trees(relationship.id, before, after, page.rows)
        return self.show("workspace/commit", commit=commit, page=page, changes=changes, base=base)


class AgentSessionView(WorkspacePart):
    def get(self, request: HttpRequest, session_id: UUID) -> HttpResponse:
        """Show a session with its steps. The page polls it while the session is open."""
        session = get_session(self.relationship.id, session_id)
        steps = AgentStep.objects.for_relationship(self.relationship.id).filter(session_id=session_id)
        return self.show(
            "workspace/_steps" if self.htmx else "workspace/session",
            session=session,
            open=session.state in OPEN,
            can_act=session.state in ("hydrating", "running", "failed", "abandoned"),
            steps=[
                (step, {name: text_or_json(value) for name, value in step.arguments.items()})
                for step in steps.order_by("number")
            ],
        )

    def post(self, request: HttpRequest, session_id: UUID) -> HttpResponse:
        """Pause, resume, stop, retry or finish the session, or approve or deny a call that waits."""
        do = request.POST.get("do", "")
        here: dict[str, Any] = {"relationship": self.relationship, "session_id": session_id, "by": self.actor}
        if do in VERBS:
            VERBS[do](**here)
        elif do == "finish":
            finish_session(**here, summary="", facts=[])
        elif do in ("approve", "deny"):
            decide_call(**here, number=version_param(request.POST) or 0, approve=do == "approve")
        return redirect(request.path)


class HotContextView(WorkspacePart):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        written = request.POST.get("content", "").replace("\r\n", "\n")
        try:
            write_hot_context(
                relationship=self.relationship,
                content=written,
                by=self.actor,
                expected_version=version_param(request.POST),
            )
        except StaleVersion:
            why = "Somebody else changed hot context meanwhile. The newest version is below, among the versions."
            return self._page(written, why=why, status=409)
        except RapportError as error:
            return self._page(written, why=sentence_of(error), status=422)
        return self.redirect_to_workspace("Hot context saved.")

    def _page(self, written: str = "", **more: Any) -> HttpResponse:
        content, version = read_hot_context(self.relationship.id)
        versions = HotContextVersion.objects.for_relationship(self.relationship.id).order_by("-version")
        return self.show(
            "workspace/hot_context",
            content=written or content,
            version=version,
            most=MOST_WORDS,
            versions=versions[:SHOWN],
            **more,
        )


class CheckpointsView(WorkspacePart):
    def post(self, request: HttpRequest) -> HttpResponse:
        """Take a checkpoint of main, or restore one."""
        what: dict[str, Any] = {"relationship": self.relationship, "by": self.actor}
        if chosen := parse_uuid(request.POST.get("checkpoint", "")):
            memory = bool(request.POST.get("memory"))
            done = restore_checkpoint(**what, checkpoint_id=chosen, memory=memory)
            said = f"Restored{f', with {done.entries} entries' if memory else ''}."
        else:
            take_checkpoint(**what, name=text_param(request.POST, "name", limit=200) or "by hand")
            said = "Checkpoint created."
        return self.redirect_with_message(said, "admin_ui:relationship_file_history", self.relationship.id)


class ApproveToolView(WorkspacePart):
    def post(self, request: HttpRequest) -> HttpResponse:
        """Allow the companion's agents to call a tool that an agent wrote; only an owner may, if it names secrets."""
        path = text_param(request.POST, "path", limit=1024)
        try:
            tool = approve_tool(
                relationship=self.relationship, path=path, by=self.actor, with_secrets=self.access.is_owner
            )
        except RapportError as error:
            messages.error(request, f"Not approved. {sentence_of(error)}")
            return self.redirect_to_workspace()
        return self.redirect_to_workspace(f"Every agent of this companion may call {tool.name} now.")


class DecideChangeView(WorkspacePart):
    def post(self, request: HttpRequest, change_id: UUID) -> HttpResponse:
        accept = request.POST.get("do") == "accept"
        decide_held(relationship=self.relationship, held_id=change_id, accept=accept, by=self.actor)
        return self.redirect_to_workspace()
