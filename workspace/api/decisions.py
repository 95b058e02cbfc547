"""What a person decides about an agent's work. Tokens of sessions and browsers are refused."""

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from web.fields import Page, PageQuery
from web.operations import operation
from workspace.api.files import WorkspaceView
from workspace.api.session_schemas import (
    AgentStepAnswer,
    DecisionBody,
    HeldChangeAnswer,
    present_held,
    present_step,
)
from workspace.models import HeldChange
from workspace.sessions.decide import decide_call, decide_held

TAG = "Agent sessions"


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
