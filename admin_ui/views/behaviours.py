"""A companion's behaviours: editing them as JSON, dry runs over past turns, and their runs."""

import copy
import re
from typing import Any

from django.http import HttpRequest, HttpResponse

from admin_ui.access import OperatorView
from admin_ui.paging import page_of
from admin_ui.params import parse_uuid, pretty_json, required_version, text_param
from admin_ui.templatetags.formatting import with_id
from admin_ui.words import sentence_of
from behaviours.dry_runs import DryRun, dry_run, read_draft
from behaviours.models import BehaviourRun
from behaviours.runs import retry_run
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Relationship
from relationships.services.companions import write_companion_config
from web.errors import InvalidInput, RapportError, StaleVersion
from web.parsing import parse_text

RUNS_A_PAGE = 20
MOST_PEOPLE = 100  # options to choose from
DRY_RUN_TURNS = 50
NAME = "[a-z][a-z0-9_]*"
DRAFT = {"when": {"keywords": ["hungry", "dinner"]}, "text": "Ask {{ user }} what is in the kitchen first."}


class BehavioursView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponse:
        name = text_param(request.GET, "name", limit=60)
        return self._page(name=name, draft=pretty_json(self._own.get(name) or DRAFT))

    def post(self, request: HttpRequest) -> HttpResponse:
        """Save or remove a behaviour, try a draft, or retry a run."""
        do = request.POST.get("do")
        name, draft = text_param(request.POST, "name", limit=60), request.POST.get("draft", "")
        try:
            if do == "retry":
                return self._retry()
            if do == "try":
                return self._page(
                    name=name, draft=draft, tried=self._try(parse_text(draft, field="definition"))
                )
            self._write(name, None if do == "remove" else parse_text(draft, field="definition"))
        except StaleVersion:
            self.companion = self.get_companion(self.companion.id)
            why = "Somebody else changed this companion. Nothing was saved; look at it and save again."
            return self._page(name=name, draft=draft, why=why, status=409)
        except RapportError as error:
            return self._page(name=name, draft=draft, why=sentence_of(error), status=422)
        message = "Behaviour removed." if do == "remove" else "Behaviour saved."
        return self.redirect_with_message(message, "admin_ui:companion_behaviours", self.companion.id)

    @property
    def _own(self) -> dict[str, Any]:
        """The behaviours of the companion's own level, by name."""
        named: dict[str, Any] = self.companion.config.get("behaviours", {}).get("named", {})
        return named

    def _write(self, name: str, definition: dict[str, Any] | None) -> None:
        if definition is not None and not re.fullmatch(NAME, name):
            raise InvalidInput.of("name", "must be lower-case letters, digits and _, and begin with a letter")
        config = copy.deepcopy(self.companion.config)
        named = config.setdefault("behaviours", {}).setdefault("named", {})
        named.pop(name, None)
        if definition is not None:
            read_draft(definition, inside=name)
            named[name] = definition
        write_companion_config(
            project_id=self.project_id,
            companion_id=self.companion.id,
            config=config,
            merge=False,
            by=self.actor,
            expected_version=required_version(self.request.POST),
        )

    def _try(self, draft: dict[str, Any]) -> DryRun:
        person = self._person()
        if person is None:
            raise InvalidInput.of("relationship", "choose a person first")
        return dry_run(
            relationship=person, behaviour=read_draft(draft, inside="definition"), last=DRY_RUN_TURNS
        )

    def _retry(self) -> HttpResponse:
        person, run_id = self._person(), parse_uuid(self.request.POST.get("run", ""))
        if person is None or run_id is None:
            raise InvalidInput.of("run", "does not exist")
        retry_run(relationship_id=person.id, run_id=run_id)
        response = self.redirect_with_message(
            "Retrying the run.", "admin_ui:companion_behaviours", self.companion.id
        )
        response["Location"] += f"?relationship={person.id}"
        return response

    def _person(self) -> Relationship | None:
        """Return the chosen relationship."""
        sent = self.request.POST or self.request.GET
        relationship_id = parse_uuid(sent.get("relationship", ""))
        return self.get_relationship(relationship_id) if relationship_id else None

    def _page(self, **more: Any) -> HttpResponse:
        present = resolve_configuration(
            project=self.companion.project.config, companion=self.companion.config
        )
        named = present.values.behaviours.named
        people = Relationship.objects.of_project(self.project_id).filter(companion_id=self.companion.id)
        newest = people.select_related("user").order_by("-last_turn_at", "id")
        person = self._person()
        runs = BehaviourRun.objects.for_relationship(person.id) if person else BehaviourRun.objects.none()
        return self.show(
            "behaviours/list",
            behaviours=sorted(named.items(), key=lambda pair: (pair[1].order, pair[0])),
            own=self._own,
            known=more.get("name") in named,
            people=[(row.id, with_id(row.user)) for row in newest[:MOST_PEOPLE]],
            person=person,
            page=page_of(self.request, runs.fired().order_by("-id"), size=RUNS_A_PAGE),
            **more,
        )
