"""A project's companions: their configuration as a form, their recipe, and what they are made of."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import Count, F
from django.db.models.fields.json import KT
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView
from admin_ui.config_diff import between, from_recipe
from admin_ui.config_form import ConfigField, ConfigSection, config_sections, read_config
from admin_ui.names import companions_called
from admin_ui.paging import page_of
from admin_ui.params import pretty, required_version, text_param
from admin_ui.setting_words import FIRST, setting_label
from admin_ui.sorting import Sort
from admin_ui.words import sentence_of
from memory.ingestion.ingestion_input import find_instructions
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.plugins import load
from relationships.models import Companion
from relationships.services.companions import create_companion, write_companion_config
from relationships.services.configuration import check_level
from web.errors import FieldProblem, InvalidConfiguration, InvalidInput, RapportError, StaleVersion

SORT = Sort(
    {
        "name": ("name", "id"),
        "recipe": (KT("config__recipe"), "name", "id"),
        "prompt": (F("prompt_version").asc(nulls_first=True), "name", "id"),
        "people": ("people", "name", "id"),
    },
    usual="name",
)


class CompanionsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(request)

    def post(self, request: HttpRequest) -> HttpResponse:
        """A new companion, by name."""
        name = text_param(request.POST, "name", limit=200)
        slug = text_param(request.POST, "slug", limit=80)
        if not name or not slug:
            return self._page(request, why="A companion needs a name and a slug.", status=422)
        try:
            companion = create_companion(
                project_id=self.access.project.id, slug=slug, name=name, by=self.access.actor
            )
        except RapportError as error:
            return self._page(request, why=sentence_of(error), status=409)
        messages.success(request, f"{companion.name} created.")
        return redirect("admin_ui:companion", companion.id)

    def _page(self, request: HttpRequest, *, why: str = "", status: int = 200) -> HttpResponse:
        rows = companions_called(request, Companion.objects.of_project(self.access.project.id))
        rows = rows.annotate(people=Count("relationships"))
        page = page_of(request, rows, sort=SORT)
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
        """Another recipe, or all fields of the form: what that would change, and with `do=save` the change."""
        companion, do = self.get_companion(companion_id), request.POST.get("do")
        level = _level(request, companion)
        if do == "edit":
            return self._page(request, companion, level=level)
        try:
            if do != "save":
                return self._review(request, companion, level)
            write_companion_config(
                project_id=self.access.project.id,
                companion_id=companion_id,
                config=level,
                merge=False,
                by=self.access.actor,
                expected_version=required_version(request.POST),
            )
        except InvalidConfiguration as error:
            return self._page(request, companion, level=level, problems=error.problems, status=422)
        except StaleVersion:
            return self._review(request, self.get_companion(companion_id), level, stale=True)
        messages.success(request, "Configuration saved. It applies from the next turn and context.")
        return redirect("admin_ui:companion", companion_id)

    def _review(
        self, request: HttpRequest, companion: Companion, level: dict[str, Any], *, stale: bool = False
    ) -> HttpResponse:
        """`stale`: somebody saved another one since; what that one changed is part of the difference."""
        check_level(level, inside="")
        ctx = {
            "companion": companion,
            "changes": between(companion, level),
            "config": pretty(level),
            "version": companion.version if stale else required_version(request.POST),
            "stale": stale,
        }
        return render(request, "admin_ui/companions/review.html", ctx, status=409 if stale else 200)

    def _page(
        self,
        request: HttpRequest,
        companion: Companion,
        *,
        level: dict[str, Any] | None = None,
        problems: Sequence[FieldProblem] = (),
        why: str = "",
        status: int = 200,
    ) -> HttpResponse:
        """`level`: what was sent and is not stored; where it has `problems`, the form shows what is."""
        stored = pretty(companion.config)
        present = resolve_configuration(project=companion.project.config, companion=companion.config)
        if level is not None and not problems:
            companion.config = level
        first, advanced = _parted(config_sections(companion, problems))
        behaviours = getattr(present.values, "behaviours", None)
        ctx: dict[str, Any] = {
            "companion": companion,
            "first": first,
            "sections": advanced,
            "prompt": find_instructions(companion, None),
            "behaviours": list(behaviours.named.items()) if behaviours else [],
            "recipes": [(name, load("RECIPES", name)["description"]) for name in settings.RECIPES],
            "recipe": present.values.recipe,
            "different": from_recipe(companion),
            "draft": level is not None and not problems,
            "problems": [(setting_label(line.field), line) for line in problems],
            "why": why,
            "own": stored,
            "resolved": pretty(present.values.model_dump(mode="json")),
        }
        return render(request, "admin_ui/companions/detail.html", ctx, status=status)


def _level(request: HttpRequest, companion: Companion) -> dict[str, Any]:
    """The companion's own level as it was sent: whole (from the review), by its recipe alone, or by the form."""
    whole, recipe = request.POST.get("config"), request.POST.get("recipe")
    if whole is not None:
        try:
            level = json.loads(whole)
        except (ValueError, RecursionError):
            level = None
        if not isinstance(level, dict):
            raise InvalidInput.of("config", "is no JSON object; reload the page")
        return level
    return (
        {**companion.config, "recipe": recipe} if recipe is not None else read_config(request.POST, companion)
    )


def _parted(
    sections: Sequence[ConfigSection],
) -> tuple[list[tuple[str, list[ConfigField]]], list[ConfigSection]]:
    """What one changes first, by its title, and all other settings in their sections."""
    fields = {entry.path: entry for section in sections for entry in section.fields}
    first = [(title, [fields[path] for path in paths if path in fields]) for title, paths in FIRST.items()]
    chosen = {path for paths in FIRST.values() for path in paths}
    rest = [
        ConfigSection(section.name, [entry for entry in section.fields if entry.path not in chosen])
        for section in sections
    ]
    return first, [section for section in rest if section.fields]
