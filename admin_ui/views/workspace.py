"""An agent's workspace: files with their history, sessions with their steps, checkpoints, what waits for a decision."""

from operator import itemgetter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.held_changes import held_changes
from admin_ui.paging import page_of
from admin_ui.params import parse_uuid, readable, text_param, version_param
from admin_ui.sorting import order_of
from admin_ui.views.scratchpad import EntryAction
from admin_ui.words import sentence_of
from relationships.models import Relationship
from web.errors import RapportError, StaleVersion
from workspace.blame import blame
from workspace.checkpoints import restore_checkpoint, take_checkpoint
from workspace.files import read_file, write_hot_context
from workspace.gateway.tools import approve_tool
from workspace.generated import SPEC_PATH, generated_paths, made_elsewhere, written_files
from workspace.history import (
    diff_trees,
    get_commit,
    head_at,
    log_of,
    log_of_file,
    paths_between,
    trees_of,
)
from workspace.hot_context import MOST_WORDS, read_hot_context
from workspace.models import (
    MAIN,
    AgentSession,
    AgentStep,
    Branch,
    Checkpoint,
    HotContextVersion,
    Tool,
    Worker,
)
from workspace.models.agent_session import OPEN
from workspace.sessions.decide import decide_call, decide_held
from workspace.sessions.verbs import (
    finish_session,
    get_session,
    pause_session,
    resume_session,
    retry_session,
    start_session,
    stop_session,
)
from workspace.store import read_head
from workspace.trees import text_of

SHOWN = 50
FILES_A_PAGE = 20  # of a commit
FILE_COLUMNS: dict[str, Any] = {"path": itemgetter(0), "size": lambda file: file[1] or 0}
VERBS = {"pause": pause_session, "resume": resume_session, "stop": stop_session, "retry": retry_session}


class WorkspacePart(EntryAction):
    tab = "workspace"


class WorkspaceView(WorkspacePart):
    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        branch = text_param(request.GET, "branch") or MAIN
        head, order = read_head(relationship_id, branch), order_of(request, FILE_COLUMNS, usual="path")
        tools = list(Tool.objects.filter(companion_id=relationship.companion_id).order_by("name"))
        made = generated_paths(relationship, tools) if branch == MAIN else []
        files_there = head.files if head else {}
        if branch == MAIN:
            files_there = written_files(relationship_id, files_there, made)
        written = {path: file.size for path, file in files_there.items()}
        files: list[tuple[str, int | None]] = [*written.items(), *((path, None) for path in made)]
        files.sort(key=FILE_COLUMNS[order.removeprefix("-")], reverse=order.startswith("-"))
        content, version = read_hot_context(relationship_id)
        newest = AgentSession.objects.for_relationship(relationship_id).order_by("-created_at")
        sessions = page_of(request, newest, size=SHOWN, name="sessions")
        tasks = {session.branch: session.task for session in sessions.rows}
        names = Branch.objects.for_relationship(relationship_id).order_by("name")
        labels = {name: tasks.get(name, name) for name in names.values_list("name", flat=True)}
        ctx = {
            **self.ctx_of(relationship),
            "branch": branch,
            "order": order,
            "branches": [{"name": name, "label": label} for name, label in labels.items()],
            "branch_label": labels.get(branch, branch),
            "files": [{"path": path, "size": size, "made": made_elsewhere(path)} for path, size in files],
            "agents_tools": sorted(path for path in written if SPEC_PATH.fullmatch(path)),
            "tools": tools,
            "hot": content,
            "version": version,
            "sessions": sessions,
            "held": held_changes(relationship, head if branch == MAIN else read_head(relationship_id, MAIN)),
        }
        return render(request, "admin_ui/workspace/detail.html", ctx)

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        """Start a session of the companion's model."""
        task = text_param(request.POST, "task", limit=20_000)
        if task:
            start_session(
                relationship=self.get_relationship(relationship_id),
                task=task,
                worker=Worker.BUILT_IN,
                by=self.access.actor,
            )
        return redirect("admin_ui:relationship_workspace", relationship_id)


class HistoryView(WorkspacePart):
    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        """The commits of a branch, and the checkpoints to go back to."""
        relationship = self.get_relationship(relationship_id)
        branch = text_param(request.GET, "branch") or MAIN
        checkpoints = Checkpoint.objects.for_relationship(relationship_id).order_by("-taken_at", "-id")
        ctx = {
            **self.ctx_of(relationship),
            "branch": branch,
            "checkpoints": page_of(request, checkpoints, size=SHOWN, name="checkpoints"),
            "page": page_of(
                request, log_of(relationship, branch).order_by("-recorded_at", "-id"), size=SHOWN
            ),
        }
        return render(request, "admin_ui/workspace/history.html", ctx)


class FileView(WorkspacePart):
    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        path, branch = text_param(request.GET, "path", limit=1024), text_param(request.GET, "branch") or MAIN
        read = read_file(relationship, path, branch)
        text = text_of(read.content)
        ctx = {**self.ctx_of(relationship), "read": read, "text": text, "branch": branch}
        if text and read.commit and request.GET.get("view") == "blame":
            ctx["hunks"] = blame(relationship, branch, read)
        else:
            ctx["changes"] = log_of_file(relationship, branch, path, most=SHOWN)
        return render(request, "admin_ui/workspace/file.html", ctx)


class CommitView(WorkspacePart):
    def get(self, request: HttpRequest, relationship_id: UUID, sha: str) -> HttpResponse:
        """What it changed; with `base`, all that lies between the two."""
        relationship = self.get_relationship(relationship_id)
        commit, base = get_commit(relationship, sha), text_param(request.GET, "base")
        before, after = (
            (head_at(relationship, base).files, head_at(relationship, sha).files)
            if base
            else trees_of(relationship, commit)
        )
        page = page_of(request, paths_between(before, after), size=FILES_A_PAGE)
        changes = diff_trees(relationship.id, before, after, page.rows)
        ctx = {**self.ctx_of(relationship), "commit": commit, "page": page, "changes": changes, "base": base}
        return render(request, "admin_ui/workspace/commit.html", ctx)


class AgentSessionView(WorkspacePart):
    def get(self, request: HttpRequest, relationship_id: UUID, session_id: UUID) -> HttpResponse:
        """Read again by the page itself while the session is open."""
        relationship = self.get_relationship(relationship_id)
        session = get_session(relationship_id, session_id)
        steps = AgentStep.objects.for_relationship(relationship_id).filter(session_id=session_id)
        ctx = {
            **self.ctx_of(relationship),
            "session": session,
            "open": session.state in OPEN,
            "steps": [
                (step, {name: readable(value) for name, value in step.arguments.items()})
                for step in steps.order_by("number")
            ],
        }
        name = "_steps" if request.headers.get("HX-Request") else "session"
        return render(request, f"admin_ui/workspace/{name}.html", ctx)

    def post(self, request: HttpRequest, relationship_id: UUID, session_id: UUID) -> HttpResponse:
        """Pause, resume, stop, try again, finish; or decide a call that waits."""
        relationship, do = self.get_relationship(relationship_id), request.POST.get("do", "")
        here: dict[str, Any] = {
            "relationship": relationship,
            "session_id": session_id,
            "by": self.access.actor,
        }
        if do in VERBS:
            VERBS[do](**here)
        elif do == "finish":
            finish_session(**here, summary="", facts=[])
        elif do in ("approve", "deny"):
            decide_call(**here, number=version_param(request.POST) or 0, approve=do == "approve")
        return redirect("admin_ui:relationship_agent_session", relationship_id, session_id)


class HotContextView(WorkspacePart):
    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, self.get_relationship(relationship_id))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        written = request.POST.get("content", "").replace("\r\n", "\n")
        try:
            write_hot_context(
                relationship=relationship,
                content=written,
                by=self.access.actor,
                expected_version=version_param(request.POST),
            )
        except StaleVersion:
            why = "Somebody else changed hot context meanwhile. The newest version is below, among the versions."
            return self._page(request, relationship, written=written, why=why, status=409)
        except RapportError as error:
            return self._page(request, relationship, written=written, why=sentence_of(error), status=422)
        messages.success(request, "Hot context saved.")
        return redirect("admin_ui:relationship_workspace", relationship_id)

    def _page(
        self,
        request: HttpRequest,
        relationship: Relationship,
        *,
        written: str = "",
        why: str = "",
        status: int = 200,
    ) -> HttpResponse:
        content, version = read_hot_context(relationship.id)
        versions = HotContextVersion.objects.for_relationship(relationship.id).order_by("-version")
        ctx = {
            **self.ctx_of(relationship),
            "content": written or content,
            "version": version,
            "why": why,
            "most": MOST_WORDS,
            "versions": versions[:SHOWN],
        }
        return render(request, "admin_ui/workspace/hot_context.html", ctx, status=status)


class CheckpointsView(WorkspacePart):
    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        """Take one of main, or go back to one."""
        relationship = self.get_relationship(relationship_id)
        chosen = parse_uuid(request.POST.get("checkpoint", ""))
        if chosen:
            memory = bool(request.POST.get("memory"))
            done = restore_checkpoint(
                relationship=relationship, checkpoint_id=chosen, by=self.access.actor, memory=memory
            )
            said = f"Restored{f', with {done.entries} entries' if memory else ''}."
        else:
            name = text_param(request.POST, "name") or "by hand"
            take_checkpoint(relationship=relationship, name=name, by=self.access.actor)
            said = "Checkpoint created."
        messages.success(request, said)
        return redirect("admin_ui:relationship_file_history", relationship_id)


class ApproveToolView(WorkspacePart):
    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        """Let the companion's agents call a tool that one of them wrote."""
        relationship, path = (
            self.get_relationship(relationship_id),
            text_param(request.POST, "path", limit=1024),
        )
        try:
            tool = approve_tool(relationship=relationship, path=path, by=self.access.actor)
            messages.success(request, f"Every agent of this companion may call {tool.name} now.")
        except RapportError as error:
            messages.error(request, f"Not approved. {sentence_of(error)}")
        return redirect("admin_ui:relationship_workspace", relationship_id)


class DecideChangeView(WorkspacePart):
    def post(self, request: HttpRequest, relationship_id: UUID, change_id: UUID) -> HttpResponse:
        accept = request.POST.get("do") == "accept"
        relationship = self.get_relationship(relationship_id)
        decide_held(relationship=relationship, held_id=change_id, accept=accept, by=self.access.actor)
        return redirect("admin_ui:relationship_workspace", relationship_id)
