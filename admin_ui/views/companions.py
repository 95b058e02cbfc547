"""A project's companions, and a companion's recipe and configuration as a form, with a review before saving."""

import json
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db.models import Count, F
from django.db.models.fields.json import KT
from django.http import HttpRequest, HttpResponse
from pydantic import TypeAdapter

from admin_ui.access import OperatorView
from admin_ui.config_diff import differences_by, differences_from_recipe
from admin_ui.config_form import ConfigField, ConfigSection, config_sections, read_config
from admin_ui.names import companions_named
from admin_ui.paging import Sort, page_of
from admin_ui.params import pretty_json, required_version, text_param
from admin_ui.setting_words import FIRST, setting_label
from admin_ui.words import sentence_of
from memory.ingestion.ingestion_input import find_instructions
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.plugins import load
from relationships.models import Companion
from relationships.services.companions import create_companion, write_companion_config
from relationships.services.configuration import check_level
from web.errors import FieldProblem, InvalidConfiguration, InvalidInput, RapportError, StaleVersion
from web.fields import CompanionSlug, checked_value
from web.parsing import parse_text

SORT = Sort(
    {
        "name": ("name", "id"),
        "recipe": (KT("config__recipe"), "name", "id"),
        "prompt": (F("prompt_version").asc(nulls_first=True), "name", "id"),
        "people": ("people", "name", "id"),
    },
    default="name",
)
SLUG = TypeAdapter(CompanionSlug)


class CompanionsView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Create a companion."""
        name = text_param(request.POST, "name", limit=200)
        slug = text_param(request.POST, "slug", limit=80)
        if not name or not slug:
            return self._page(why="A companion needs a name and a slug.", status=422)
        try:
            checked_value(SLUG, slug, field="slug")
            companion = create_companion(project_id=self.project_id, slug=slug, name=name, by=self.actor)
        except InvalidInput as error:
            return self._page(why=sentence_of(error), status=422)
        except RapportError as error:
            return self._page(why=sentence_of(error), status=409)
        return self.redirect_with_message(f"{companion.name} created.", "admin_ui:companion", companion.id)

    def _page(self, **more: Any) -> HttpResponse:
        rows = companions_named(self.request, self.project_id)
        page = page_of(self.request, rows.annotate(people=Count("relationships")), sort=SORT)
        shown = [(row, row.config.get("recipe", "scratchpad")) for row in page.rows]
        return self.show("companions/list", page=page, rows=shown, **more)


class CompanionView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Show the form (`do=edit`) or the changes that were sent for review, or save them (`do=save`)."""
        do = request.POST.get("do")
        try:
            level = _level(request, self.companion)
            if do == "edit":
                return self._page(level=level)
            if do != "save":
                return self._review(level)
            write_companion_config(
                project_id=self.project_id,
                companion_id=self.companion.id,
                config=level,
                merge=False,
                by=self.actor,
                expected_version=required_version(request.POST),
            )
        except InvalidConfiguration as error:
            return self._page(problems=error.problems, status=422)
        except StaleVersion:
            self.companion = self.get_companion(self.companion.id)
            return self._review(level, stale=True)
        message = "Configuration saved. It applies from the next turn and context."
        return self.redirect_with_message(message, "admin_ui:companion", self.companion.id)

    def _review(self, level: dict[str, Any], *, stale: bool = False) -> HttpResponse:
        """Show what `level` changes. `stale`: another change was saved meanwhile, which saving would overwrite."""
        check_level(level, inside="")
        return self.show(
            "companions/review",
            changes=differences_by(level, self.companion),
            config=pretty_json(level),
            version=self.companion.version if stale else required_version(self.request.POST),
            stale=stale,
            status=409 if stale else 200,
        )

    def _page(
        self, *, level: dict[str, Any] | None = None, problems: Sequence[FieldProblem] = (), status: int = 200
    ) -> HttpResponse:
        """Show the form with the stored level, or with `level`, which was sent and is not stored."""
        companion = self.companion
        stored = pretty_json(companion.config)
        present = resolve_configuration(project=companion.project.config, companion=companion.config).values
        if level is not None:
            companion.config = level
        first, advanced = _split(config_sections(companion, problems))
        return self.show(
            "companions/detail",
            first=first,
            sections=advanced,
            prompt=find_instructions(companion, None),
            behaviours=list(present.behaviours.named.items()),
            recipes=[(name, load("RECIPES", name)["description"]) for name in settings.RECIPES],
            recipe=present.recipe,
            different=differences_from_recipe(companion),
            draft=level is not None,
            problems=[(setting_label(line.field), line) for line in problems],
            own=stored,
            resolved=pretty_json(present.model_dump(mode="json")),
            status=status,
        )


def _level(request: HttpRequest, companion: Companion) -> dict[str, Any]:
    """Return the companion's level as it was sent: as JSON by the review, as another recipe, or by the form.

    Raises InvalidConfiguration for what the API would not accept in a body either.
    """
    config, recipe = request.POST.get("config"), request.POST.get("recipe")
    if config is None:
        changed_recipe = {**companion.config, "recipe": recipe}
        config = json.dumps(changed_recipe if recipe is not None else read_config(request.POST, companion))
    try:
        return parse_text(config)
    except InvalidInput as error:
        raise InvalidConfiguration(error.problems) from None


def _split(
    sections: Sequence[ConfigSection],
) -> tuple[list[tuple[str, list[ConfigField]]], list[ConfigSection]]:
    """Return the fields of FIRST by title, and the sections with all other fields."""
    fields = {entry.path: entry for section in sections for entry in section.fields}
    first = [
        (title, [fields.pop(path) for path in paths if path in fields]) for title, paths in FIRST.items()
    ]
    rest = [
        ConfigSection(section.name, [entry for entry in section.fields if entry.path in fields])
        for section in sections
    ]
    return first, [section for section in rest if section.fields]
