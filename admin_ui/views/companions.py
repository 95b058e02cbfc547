"""A project's companions: their configuration as a form, their recipe, and what they are made of."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView
from admin_ui.config_form import config_sections, read_config
from admin_ui.paging import page_of
from admin_ui.params import pretty, required_version, text_param
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.plugins import load
from relationships.models import Companion
from relationships.services.companions import create_companion, write_companion_config
from web.errors import FieldProblem, InvalidConfiguration, StaleVersion


class CompanionsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """A new companion, by name."""
        name = text_param(request.POST, "name", limit=200)
        slug = text_param(request.POST, "slug", limit=80)
        if not name or not slug:
            return self._page(request, why="A companion needs a name and a slug.", status=422)
        companion = create_companion(
            project_id=self.access.project.id, slug=slug, name=name, by=self.access.actor
        )
        messages.success(request, f"{companion.name} created.")
        return redirect("admin_ui:companion", companion.id)

    def _page(self, request: HttpRequest, *, why: str = "", status: int = 200) -> HttpResponse:
        rows = Companion.objects.of_project(self.access.project.id).annotate(people=Count("relationships"))
        page = page_of(request, rows.order_by("name", "id"))
        ctx = {
            "page": page,
            "rows": [(row, row.config.get("recipe", "scratchpad")) for row in page.rows],
            "why": why,
        }
        return render(request, "admin_ui/companions/list.html", ctx, status=status)


class CompanionView(OperatorView):
    def get(self, request: HttpRequest, companion_id: UUID) -> HttpResponse:
        return self._page(request, self.get_companion(companion_id))

    def post(self, request: HttpRequest, companion_id: UUID) -> HttpResponse:
        """The recipe alone, or all fields of the form."""
        companion = self.get_companion(companion_id)
        recipe = request.POST.get("recipe")
        values = {"recipe": recipe} if recipe is not None else read_config(request.POST, companion)
        try:
            write_companion_config(
                project_id=self.access.project.id,
                companion_id=companion_id,
                config=values,
                merge=recipe is not None,
                by=self.access.actor,
                expected_version=required_version(request.POST),
            )
        except InvalidConfiguration as error:
            companion.config = companion.config if recipe is not None else values
            return self._page(request, companion, problems=error.problems, status=422)
        except StaleVersion:
            why = "Somebody else changed this companion. Nothing was saved; these are the current values."
            return self._page(request, self.get_companion(companion_id), why=why, status=409)
        messages.success(request, "Configuration saved. It applies from the next turn and context.")
        return redirect("admin_ui:companion", companion_id)

    def _page(
        self,
        request: HttpRequest,
        companion: Companion,
        *,
        problems: Sequence[FieldProblem] = (),
        why: str = "",
        status: int = 200,
    ) -> HttpResponse:
        stored = self.get_companion(companion.id) if problems else companion
        present = resolve_configuration(project=stored.project.config, companion=stored.config)
        ctx: dict[str, Any] = {
            "companion": companion,
            "sections": config_sections(stored if problems else companion, problems),
            "recipes": [(name, load("RECIPES", name)["description"]) for name in settings.RECIPES],
            "recipe": present.values.recipe,
            "problems": problems,
            "why": why,
            "own": pretty(stored.config),
            "resolved": pretty(present.values.model_dump(mode="json")),
        }
        return render(request, "admin_ui/companions/detail.html", ctx, status=status)
