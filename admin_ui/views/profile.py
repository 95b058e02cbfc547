"""The developer's own data about the person, and the state of each session: read and edited as JSON."""

from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from admin_ui.forms import JsonForm
from admin_ui.params import pretty, version_param
from admin_ui.turn_window import sessions_of
from admin_ui.views.scratchpad import EntryAction
from relationships.models import Relationship, SessionState
from relationships.services.configuration import configuration_of
from relationships.services.profiles import read_profile, replace_profile
from relationships.services.sessions import end_session, get_session, replace_session_state
from web.errors import RapportError, StaleVersion

SESSIONS_SHOWN = 50


class JsonDocumentView(EntryAction):
    """One JSON object of a relationship, read and edited as text: nobody's change is overwritten unseen."""

    tab = "profile"
    template: ClassVar[str]
    saved: ClassVar[str]

    def ctx_of_document(self, request: HttpRequest, relationship: Relationship) -> dict[str, Any]:
        """The template's variables. `present`: the object as it is now, as text."""
        raise NotImplementedError

    def save(self, request: HttpRequest, relationship: Relationship, document: dict[str, Any]) -> None:
        """Raises RapportError, StaleVersion where somebody changed it meanwhile."""
        raise NotImplementedError

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, self.get_relationship(relationship_id))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship, form = self.get_relationship(relationship_id), JsonForm(request.POST)
        if not form.is_valid():
            return self._page(request, relationship, form, status=422)
        try:
            self.save(request, relationship, form.cleaned_data["document"])
        except StaleVersion:
            return self._page(request, relationship, form, stale=True, status=409)
        except RapportError as error:
            form.add_error("document", error.detail)
            return self._page(request, relationship, form, status=422)
        return self.back(request, relationship_id, self.saved)

    def _page(
        self,
        request: HttpRequest,
        relationship: Relationship,
        form: JsonForm | None = None,
        *,
        stale: bool = False,
        status: int = 200,
    ) -> HttpResponse:
        ctx = {**self.ctx_of(relationship), **self.ctx_of_document(request, relationship), "stale": stale}
        ctx["form"] = form or JsonForm(initial={"document": ctx["present"]})
        return render(request, self.template, ctx, status=status)


class ProfileView(JsonDocumentView):
    template = "admin_ui/profile/detail.html"
    saved = "Profile saved."

    def ctx_of_document(self, request: HttpRequest, relationship: Relationship) -> dict[str, Any]:
        data, version = read_profile(relationship.id)
        sessions = SessionState.objects.for_relationship(relationship.id).order_by("-last_active_at")
        said = {start.session: start.last for start in sessions_of(relationship.id)}
        return {
            "present": pretty(data),
            "version": version,
            "schema": _shown(configuration_of(relationship).values.profile.json_schema),
            "sessions": [
                (row, said.get(row.session, row.last_active_at), pretty(row.state))
                for row in sessions[:SESSIONS_SHOWN]
            ],
            "here": reverse("admin_ui:relationship_profile", args=[relationship.id]),
        }

    def save(self, request: HttpRequest, relationship: Relationship, document: dict[str, Any]) -> None:
        replace_profile(
            relationship=relationship,
            data=document,
            by=self.access.actor,
            expected_version=version_param(request.POST),
        )


class SessionStateView(JsonDocumentView):
    template = "admin_ui/profile/session.html"
    saved = "Session state saved."

    def ctx_of_document(self, request: HttpRequest, relationship: Relationship) -> dict[str, Any]:
        row = get_session(relationship=relationship, session=_session_name(request))
        return {
            "row": row,
            "present": pretty(row.state),
            "schema": _shown(configuration_of(relationship).values.sessions.json_schema),
            "back": reverse("admin_ui:relationship_profile", args=[relationship.id]),
        }

    def save(self, request: HttpRequest, relationship: Relationship, document: dict[str, Any]) -> None:
        replace_session_state(
            relationship=relationship,
            session=_session_name(request),
            state=document,
            expected_version=version_param(request.POST),
        )


class EndSessionView(EntryAction):
    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        end_session(relationship=relationship, session=_session_name(request), by=self.access.actor)
        return self.back(request, relationship_id, "Session ended, and its state cleared.")


def _session_name(request: HttpRequest) -> str:
    """Of the address, or of the form; without NUL, which no table takes."""
    params = request.POST if request.method == "POST" else request.GET
    return params.get("session", "").replace("\x00", "")


def _shown(schema: dict[str, Any] | None) -> str:
    return "" if schema is None else pretty(schema)
