from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from web.authentication import still_holds
from web.fields import Page, PageQuery
from web.operations import operation
from web.stopping import stopping
from web.streams import event_of, event_stream
from worker.waiting import waiting_place
from workspace.api.files import WorkspaceView
from workspace.api.session_schemas import (
    AgentSessionAnswer,
    AgentSessionFinish,
    AgentSessionStart,
    AgentSessionStartedAnswer,
    AgentStepAnswer,
    DecisionBody,
    EventsQuery,
    HeldChangeAnswer,
    ToolCallBody,
    present_held,
    present_session,
    present_step,
)
from workspace.models import AgentSession, AgentStep, HeldChange, Worker
from workspace.models.agent_session import OPEN
from workspace.sessions.commands import (
    call_for_session,
    finish_session,
    get_session,
    heartbeat,
    pause_session,
    resume_session,
    retry_session,
    start_session,
    stop_session,
)
from workspace.sessions.decide import decide_call, decide_held

TAG = "Agent sessions"
QUIET_SECONDS = 10.0  # after this long without events a stream sends a keep-alive comment


class AgentSessionsView(WorkspaceView):
    open_to_tokens = ("GET",)

    @operation(
        "agent_sessions_list", "List agent sessions, newest first", answers={200: Page[AgentSessionAnswer]}
    )
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        rows = self.owned(AgentSession, relationship_id)
        return self.page(rows, present_session, order=["-created_at", "-id"], query=query)

    @operation(
        "agent_sessions_start",
        "Start an agent session",
        answers={201: AgentSessionStartedAnswer},
        problems=(409,),
    )
    def post(self, request: Request, relationship_id: UUID, body: AgentSessionStart) -> Response:
        """`built_in`: Rapport's worker does the task with the companion's model. `external`: you do it on the session's
        branch, over REST or git, with the token that is shown only in this response.
        """
        session, token = start_session(
            relationship=self.owner(relationship_id),
            task=body.task,
            worker=Worker(body.worker),
            by=self.actor,
        )
        return self.answer({**present_session(session), "token": token or None}, status=201)


class AgentSessionView(WorkspaceView):
    @operation("agent_sessions_read", "Read an agent session", answers={200: AgentSessionAnswer})
    def get(self, request: Request, relationship_id: UUID, agent_session_id: UUID) -> Response:
        self.get_relationship(relationship_id)
        return self.answer(present_session(get_session(relationship_id, agent_session_id)))


class HeartbeatView(WorkspaceView):
    open_to_sessions = ("POST",)

    @operation(
        "agent_sessions_heartbeat",
        "Report that a session is still active",
        answers={200: AgentSessionAnswer},
        problems=(409,),
    )
    def post(self, request: Request, relationship_id: UUID, agent_session_id: UUID) -> Response:
        """A session without a sign of life for workspace.abandoned_hours is marked as abandoned."""
        relationship = self.owner(relationship_id)
        return self.answer(present_session(heartbeat(relationship=relationship, session_id=agent_session_id)))


class FinishView(WorkspaceView):
    open_to_sessions = ("POST",)

    @operation(
        "agent_sessions_finish",
        "Finish a session of your own",
        body_optional=True,
        answers={202: AgentSessionAnswer},
        problems=(409,),
    )
    def post(
        self, request: Request, relationship_id: UUID, agent_session_id: UUID, body: AgentSessionFinish
    ) -> Response:
        """A worker curates hot context and merges the branch into main. Abandoned sessions can be finished too."""
        session = finish_session(
            relationship=self.owner(relationship_id),
            session_id=agent_session_id,
            summary=body.summary,
            facts=body.facts,
            by=self.actor,
        )
        return self.answer(present_session(session), status=202)


def _verb(name: str, summary: str, act: Callable[..., AgentSession], says: str) -> type[WorkspaceView]:
    """Make the view of a route that ends in a verb."""

    class VerbView(WorkspaceView):
        def post(self, request: Request, relationship_id: UUID, agent_session_id: UUID) -> Response:
            relationship = self.owner(relationship_id)
            session = act(relationship=relationship, session_id=agent_session_id, by=self.actor)
            return self.answer(present_session(session), status=202)

        post.__doc__ = says
        operation(f"agent_sessions_{name}", summary, answers={202: AgentSessionAnswer}, problems=(409,))(post)

    return VerbView


PauseView = _verb("pause", "Pause a session", pause_session, "Takes effect after the current step.")
ResumeView = _verb("resume", "Resume a session", resume_session, "It goes on from where it was paused.")
StopView = _verb("stop", "Stop a session", stop_session, "What it has done so far is curated and merged.")
RetryView = _verb(
    "retry", "Try a failed session again", retry_session, "It goes on from the stage at which it failed."
)


class StepsView(WorkspaceView):
    @operation("agent_steps_list", "List a session's steps", answers={200: Page[AgentStepAnswer]})
    def get(
        self, request: Request, relationship_id: UUID, agent_session_id: UUID, query: PageQuery
    ) -> Response:
        """In order: the tools that the agent called, and what they returned."""
        self.get_relationship(relationship_id)
        get_session(relationship_id, agent_session_id)
        return self.page(
            steps_of(relationship_id, agent_session_id), present_step, order=["number"], query=query
        )


class EventsView(WorkspaceView):
    @operation("agent_sessions_watch", "Watch a session", answers={200: None}, streams=True)
    def get(
        self, request: Request, relationship_id: UUID, agent_session_id: UUID, query: EventsQuery
    ) -> StreamingHttpResponse:
        """Server-sent events: `step` for each step, `session` for each change of state. The stream ends with the
        session, or when the key is no longer valid.
        """
        self.get_relationship(relationship_id)
        get_session(relationship_id, agent_session_id)
        events = _events(relationship_id, agent_session_id, query.after, holds=lambda: still_holds(request))
        return event_stream(events)


class ToolCallView(WorkspaceView):
    open_to_sessions = ("POST",)

    @operation(
        "agent_tools_call",
        "Call a tool for a session of your own",
        answers={200: AgentStepAnswer},
        problems=(409,),
    )
    def post(
        self, request: Request, relationship_id: UUID, agent_session_id: UUID, tool: str, body: ToolCallBody
    ) -> Response:
        """If the step is `waiting`, a person has to approve it. Then call again with its number as `approved`."""
        step = call_for_session(
            relationship=self.owner(relationship_id),
            session_id=agent_session_id,
            name=tool,
            given=body.input,
            approved=body.approved,
        )
        return self.answer(present_step(step))


class ApproveView(WorkspaceView):
    open_to_tokens = False

    @operation(
        "agent_steps_decide", "Approve or deny a tool call", answers={200: AgentStepAnswer}, problems=(409,)
    )
    def post(
        self, request: Request, relationship_id: UUID, agent_session_id: UUID, number: int, body: DecisionBody
    ) -> Response:
        """An agent's own token can't do this."""
        step = decide_call(
            relationship=self.owner(relationship_id),
            session_id=agent_session_id,
            number=number,
            approve=body.accept,
            by=self.actor,
        )
        return self.answer(present_step(step))


class HeldChangesView(WorkspaceView):
    @operation(
        "held_changes_list",
        "List what merges could not decide, newest first",
        answers={200: Page[HeldChangeAnswer]},
    )
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        rows = self.owned(HeldChange, relationship_id)
        return self.page(rows, present_held, order=["-created_at", "-id"], query=query)


class HeldChangeView(WorkspaceView):
    open_to_tokens = False

    @operation(
        "held_changes_decide", "Decide a held change", answers={200: HeldChangeAnswer}, problems=(409,)
    )
    def post(self, request: Request, relationship_id: UUID, change_id: UUID, body: DecisionBody) -> Response:
        """Accept: the session's version replaces the file, or the proposed profile is written. Decline: they stay."""
        held = decide_held(
            relationship=self.owner(relationship_id), held_id=change_id, accept=body.accept, by=self.actor
        )
        return self.answer(present_held(held))


def steps_of(relationship_id: UUID, session_id: UUID) -> Any:
    return AgentStep.objects.for_relationship(relationship_id).filter(session_id=session_id)


def _events(
    relationship_id: UUID, session_id: UUID, after: int, *, holds: Callable[[], bool]
) -> Iterator[bytes]:
    told: tuple[str, bool] | None = None
    with waiting_place(session_id, counted=False) as place:
        assert place is not None, "uncounted waiters always get a place"
        while True:
            place.rest()  # before reading, so that no change is missed
            session = AgentSession.objects.for_relationship(relationship_id).filter(id=session_id).first()
            if session is None:
                return
            for step in steps_of(relationship_id, session_id).filter(number__gt=after).order_by("number"):
                after = step.number
                yield event_of("step", present_step(step), number=after)
            if (session.state, session.paused) != told:
                told = (session.state, session.paused)
                yield event_of("session", present_session(session), number=after)
            if session.state not in OPEN:
                return
            if not place.wait(QUIET_SECONDS):
                yield b": waiting\n\n"
            if stopping.is_set() or not holds():
                return
