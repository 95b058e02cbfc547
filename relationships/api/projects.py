from datetime import datetime
from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from relationships.models import Project
from relationships.services.model_budgets import model_budget_of
from relationships.services.projects import change_project
from web.fields import Answer, Body, JsonObject, Name, left_out
from web.headers import expected_version
from web.operations import operation

TAG = "Project"


class ProjectChanges(Body):
    name: Name = left_out()
    config: JsonObject = left_out()
    """A merge patch of the project's level of the configuration."""


class ProjectAnswer(Answer):
    id: UUID
    name: str
    config: JsonObject
    version: int
    created_at: datetime


class ProjectView(ApiView):
    scopes: ClassVar = {"PATCH": "admin"}

    @operation("project_read", "Read your project", answers={200: ProjectAnswer}, etag=True)
    def get(self, request: Request) -> Response:
        """The project that the key belongs to."""
        project = Project.objects.get(id=self.project_id)
        return self.answer(ProjectAnswer.of(project), version=project.version)

    @operation(
        "project_change", "Change your project", answers={200: ProjectAnswer}, if_match=True, etag=True
    )
    def patch(self, request: Request, body: ProjectChanges) -> Response:
        """Fields left out stay unchanged; `config` is merged into the existing one. Needs the scope `admin`."""
        project = change_project(
            project_id=self.project_id,
            changes=body.sent(),
            expected_version=expected_version(request),
            by=self.actor,
        )
        return self.answer(ProjectAnswer.of(project), version=project.version)


class BudgetAnswer(Answer):
    """Since 00:00 UTC. A limit that is null does not apply."""

    daily_tokens: int | None
    daily_usd: str | None
    tokens: int
    """Of prompts and answers."""
    usd: str
    """Of the calls whose price is known."""
    calls: int
    unpriced_calls: int
    """Calls whose price is not known; they count as free here."""
    spent: bool
    """Turns wait until `renews_at`; previews and replays answer 429."""
    renews_at: datetime


class BudgetView(ApiView):
    @operation(
        "project_budget",
        "Read your project's model budget, and what it has asked today",
        answers={200: BudgetAnswer},
    )
    def get(self, request: Request) -> Response:
        """The service's operator sets the budget with `manage.py budget`."""
        budget = model_budget_of(self.project_id)
        shown = BudgetAnswer.of(
            budget,
            daily_usd=None if budget.daily_usd is None else f"{budget.daily_usd:f}",
            usd=f"{budget.cost:f}",
            unpriced_calls=budget.unpriced,
            spent=bool(budget.spent),
        )
        return self.answer(shown)
