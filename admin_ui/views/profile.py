"""A person's name, time zone and pause; the profile and the sessions' states, which are edited as JSON."""

from typing import Any, ClassVar

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from admin_ui.access import RelationshipAction
from admin_ui.forms import JsonForm, PersonForm
from admin_ui.params import pretty_json, required_version, version_param
from admin_ui.turn_window import sessions_of
from relationships.models import SessionState
from relationships.services.configuration import configuration_of
from relationships.services.profiles import read_profile, replace_profile
from relationships.services.relationships import change_relationship
from relationships.services.sessions import end_session, get_session, replace_session_state
from relationships.services.users import change_user
from web.errors import RapportError, StaleVersion

SESSIONS_SHOWN = 50


class JsonDocumentView(RelationshipAction):
    """Base class for editing a JSON object as text. Changes by others are not overwritten."""

    tab = "profile"
    page: ClassVar[str]
    saved: ClassVar[str]

    def ctx_of_document(self) -> dict[str, Any]:
        """Return the template's variables. `present`: the stored object, as text."""
        raise NotImplementedError

    def save(self, document: dict[str, Any], version: int | None) -> None:
        """Store the object. Raises RapportError; StaleVersion if `version` is not the stored one."""
        raise NotImplementedError

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        form = JsonForm(request.POST)
        if not form.is_valid():
            return self._page(form, status=422)
        try:
            self.save(form.cleaned_data["document"], version_param(request.POST))
        except StaleVersion:
            return self._page(form, stale=True, status=409)
        except RapportError as error:
            form.add_error("document", error.detail)
            return self._page(form, status=422)
        return self.redirect_back(self.saved)

    def _page(self, form: JsonForm | None = None, **more: Any) -> HttpResponse:
        ctx = self.ctx_of_document() | more
        form = form or JsonForm(initial={"document": ctx["present"]})
        return self.show(self.page, form=form, **ctx)


class ProfileView(JsonDocumentView):
    page = "profile/detail"
    saved = "Profile saved."

    def post(self, request: HttpRequest) -> HttpResponse:
        """Save the profile, or the person's name, time zone and pause."""
        return self._save_person() if "timezone" in request.POST else super().post(request)

    def ctx_of_document(self) -> dict[str, Any]:
        relationship = self.relationship
        data, version = read_profile(relationship.id)
        sessions = SessionState.objects.for_relationship(relationship.id).order_by("-last_active_at")
        last_turns = {row["session"]: row["last"] for row in sessions_of(relationship.id)}
        return {
            "person": PersonForm.of(relationship),
            "present": pretty_json(data),
            "version": version,
            "schema": _schema_text(configuration_of(relationship).values.profile.json_schema),
            "sessions": [
                (row, last_turns.get(row.session, row.last_active_at), pretty_json(row.state))
                for row in sessions[:SESSIONS_SHOWN]
            ],
        }

    def save(self, document: dict[str, Any], version: int | None) -> None:
        replace_profile(
            relationship=self.relationship, data=document, by=self.actor, expected_version=version
        )

    def _save_person(self) -> HttpResponse:
        form = PersonForm(self.request.POST)
        if not form.is_valid():
            return self._page(person=form, status=422)
        zone = {"timezone": form.cleaned_data.pop("timezone")}
        sent = self.request.POST
        of_project: dict[str, Any] = {"project_id": self.project_id, "by": self.actor}
        with transaction.atomic():  # the person first, as an erasure locks them
            change_user(
                **of_project,
                user_id=self.relationship.user_id,
                changes=form.cleaned_data,
                expected_version=required_version(sent),
            )
            change_relationship(
                **of_project,
                relationship_id=self.relationship.id,
                changes=zone,
                expected_version=required_version(sent, "relationship_version"),
            )
        return self.redirect_back("Person saved.")


class SessionStateView(JsonDocumentView):
    page = "profile/session"
    saved = "Session state saved."

    def ctx_of_document(self) -> dict[str, Any]:
        row = get_session(relationship=self.relationship, session=_session_name(self.request))
        return {
            "row": row,
            "present": pretty_json(row.state),
            "schema": _schema_text(configuration_of(self.relationship).values.sessions.json_schema),
            "back": reverse("admin_ui:relationship_profile", args=[self.relationship.id]),
        }

    def save(self, document: dict[str, Any], version: int | None) -> None:
        replace_session_state(
            relationship=self.relationship,
            session=_session_name(self.request),
            state=document,
            expected_version=version,
        )


class RelationshipConfigView(JsonDocumentView):
    """The relationship's own level of the configuration."""

    page = "profile/configuration"
    saved = "Configuration saved."

    def ctx_of_document(self) -> dict[str, Any]:
        back = reverse("admin_ui:relationship_profile", args=[self.relationship.id])
        return {"present": pretty_json(self.relationship.config), "back": back}

    def save(self, document: dict[str, Any], version: int | None) -> None:
        change_relationship(
            project_id=self.project_id,
            relationship_id=self.relationship.id,
            changes={"config": document},
            by=self.actor,
            expected_version=version,
            merge=False,
        )


class EndSessionView(RelationshipAction):
    def post(self, request: HttpRequest) -> HttpResponse:
        end_session(relationship=self.relationship, session=_session_name(request), by=self.actor)
        return self.redirect_back("Session ended, and its state cleared.")


def _session_name(request: HttpRequest) -> str:
    # not stripped, as a session's name may begin or end with spaces
    params = request.POST if request.method == "POST" else request.GET
    return params.get("session", "").replace("\x00", "")


def _schema_text(schema: dict[str, Any] | None) -> str:
    return "" if schema is None else pretty_json(schema)
