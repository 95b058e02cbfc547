from datetime import datetime
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import SessionState
from relationships.services.configuration import configuration_of
from relationships.services.sessions import end_session, get_session, patch_session
from web.fields import Answer, Body, JsonObject, Page, PageQuery
from web.headers import expected_version
from web.operations import operation

TAG = "Sessions"


class SessionChanges(Body):
    state: JsonObject
    """A merge patch of the state."""


class SessionAnswer(Answer):
    session: str
    """Your own ID for it."""
    state: JsonObject
    version: int
    started_at: datetime
    last_active_at: datetime
    ended_at: datetime | None
    idle_at: datetime | None
    """When the idle timeout ends it; null: never by itself."""


class SessionsView(ApiView):
    open_to_tokens = True

    @operation("sessions_list", "List sessions", answers={200: Page[SessionAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: PageQuery) -> Response:
        """By name, ended ones too."""
        rows = self.owned(SessionState, relationship_id)
        return self.page(rows, SessionAnswer.of, order=["session"], query=query)


class SessionView(ApiView):
    open_to_tokens = True

    @operation("sessions_read", "Read a session", answers={200: SessionAnswer}, etag=True)
    def get(self, request: Request, relationship_id: UUID, session: str) -> Response:
        found = get_session(relationship=self.get_relationship(relationship_id), session=session)
        return self.answer(SessionAnswer.of(found), version=found.version)

    @operation(
        "sessions_change", "Change a session's state", answers={200: SessionAnswer}, if_match=True, etag=True
    )
    def patch(self, request: Request, relationship_id: UUID, session: str, body: SessionChanges) -> Response:
        """Merges `state` into the existing state (RFC 7396). A new or ended session is opened."""
        relationship = self.get_relationship(relationship_id, "companion", "project")
        changed = patch_session(
            relationship=relationship,
            session=session,
            patch=body.state,
            idle_minutes=configuration_of(relationship).values.sessions.idle_minutes,
            expected_version=expected_version(request),
        )
        return self.answer(SessionAnswer.of(changed), version=changed.version)


class SessionEndView(ApiView):
    open_to_tokens = True

    @operation("sessions_end", "End a session", answers={200: SessionAnswer}, etag=True)
    def post(self, request: Request, relationship_id: UUID, session: str) -> Response:
        """Clears its state. Ending it again changes nothing; a new turn opens it again."""
        relationship = self.get_relationship(relationship_id)
        ended = end_session(relationship=relationship, session=session, by=self.actor)
        return self.answer(SessionAnswer.of(ended), version=ended.version)
