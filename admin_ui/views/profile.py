"""The developer's own data about the person, and the state of each session: read and edited as JSON."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from admin_ui.asked import pretty, version_in
from admin_ui.forms import JsonForm
from admin_ui.views.scratchpad import EntryAction
from relationships.errors import RapportError, StaleVersion
from relationships.models import SessionState
from relationships.services.configuration import configuration_of
from relationships.services.profiles import read_profile, replace_profile
from relationships.services.sessions import end_session, get_session, replace_session_state

SESSIONS_SHOWN = 50


class ProfileView(EntryAction):
    tab = "profile"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, relationship_id)

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        form = JsonForm(request.POST)
        if not form.is_valid():
            return self._page(request, relationship_id, form, status=422)
        try:
            replace_profile(
                relationship=relationship,
                data=form.cleaned_data["document"],
                by=self.seat.actor,
                expected_version=version_in(request.POST),
            )
        except StaleVersion:
            return self._page(request, relationship_id, form, stale=True, status=409)
        except RapportError as error:
            form.add_error("document", error.detail)
            return self._page(request, relationship_id, form, status=422)
        return self.back(request, relationship_id, "The profile is changed.")

    def _page(
        self,
        request: HttpRequest,
        relationship_id: UUID,
        form: JsonForm | None = None,
        *,
        stale: bool = False,
        status: int = 200,
    ) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        data, version = read_profile(relationship_id)
        sessions = SessionState.objects.for_relationship(relationship_id).order_by("-last_active_at")
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "form": form or JsonForm(initial={"document": pretty(data)}),
            "present": pretty(data),
            "version": version,
            "stale": stale,
            "schema": _shown(configuration_of(relationship).values.profile.json_schema),
            "sessions": [(row, pretty(row.state)) for row in sessions[:SESSIONS_SHOWN]],
            "here": reverse("admin_ui:relationship_profile", args=[relationship_id]),
        }
        return render(request, "admin_ui/profile/detail.html", ctx, status=status)


class SessionStateView(EntryAction):
    tab = "profile"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._page(request, relationship_id, request.GET.get("session", ""))

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship, name = self.get_relationship(relationship_id), request.POST.get("session", "")
        form = JsonForm(request.POST)
        if not form.is_valid():
            return self._page(request, relationship_id, name, form, status=422)
        try:
            replace_session_state(
                relationship=relationship,
                session=name.replace("\x00", ""),
                state=form.cleaned_data["document"],
                expected_version=version_in(request.POST),
            )
        except StaleVersion:
            return self._page(request, relationship_id, name, form, stale=True, status=409)
        except RapportError as error:
            form.add_error("document", error.detail)
            return self._page(request, relationship_id, name, form, status=422)
        return self.back(request, relationship_id, "The session's state is changed.")

    def _page(
        self,
        request: HttpRequest,
        relationship_id: UUID,
        name: str,
        form: JsonForm | None = None,
        *,
        stale: bool = False,
        status: int = 200,
    ) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        row = get_session(relationship=relationship, session=name.replace("\x00", ""))
        ctx: dict[str, Any] = {
            **self.ctx_of(relationship),
            "row": row,
            "form": form or JsonForm(initial={"document": pretty(row.state)}),
            "present": pretty(row.state),
            "schema": _shown(configuration_of(relationship).values.sessions.json_schema),
            "stale": stale,
            "back": reverse("admin_ui:relationship_profile", args=[relationship_id]),
        }
        return render(request, "admin_ui/profile/session.html", ctx, status=status)


class EndSessionView(EntryAction):
    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        name = request.POST.get("session", "").replace("\x00", "")
        end_session(relationship=relationship, session=name, by=self.seat.actor)
        return self.back(request, relationship_id, "The session is ended, and its state cleared.")


def _shown(schema: dict[str, Any] | None) -> str:
    return "" if schema is None else pretty(schema)
