"""A companion's behaviours: edited one by one, tried over past turns, and what they did."""

import copy
import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.access import OperatorView
from admin_ui.paging import page_of
from admin_ui.params import parse_uuid, pretty, required_version, text_param
from admin_ui.words import sentence_of
from behaviours.dry_runs import DryRun, dry_run, read_draft
from behaviours.models import BehaviourRun
from behaviours.runs import retry_run
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Companion, Relationship
from relationships.services.companions import write_companion_config
from web.errors import InvalidInput, RapportError, StaleVersion

RUNS_A_PAGE = 20
MOST_PEOPLE = 100  # in the list to choose from
TRIED = 50  # turns
DRAFT = {"when": {"keywords": ["hungry", "dinner"]}, "text": "Ask {{ user }} what is in the kitchen first."}


class BehavioursView(OperatorView):
    def get(self, request: HttpRequest, companion_id: UUID) -> HttpResponse:
        companion = self.get_companion(companion_id)
        name = text_param(request.GET, "name", limit=60)
        own = companion.config.get("behaviours", {}).get("named", {})
        draft = pretty(own.get(name) or DRAFT)
        return self._page(request, companion, name=name, draft=draft)

    def post(self, request: HttpRequest, companion_id: UUID) -> HttpResponse:
        """Save one, take one away, try a draft, or send a run again."""
        companion = self.get_companion(companion_id)
        do = request.POST.get("do")
        name, draft = text_param(request.POST, "name", limit=60), request.POST.get("draft", "")
        try:
            if do == "retry":
                return self._retry(request, companion)
            if do == "try":
                tried = self._try(request, _object(draft))
                return self._page(request, companion, name=name, draft=draft, tried=tried)
            self._write(request, companion, name, None if do == "remove" else _object(draft))
        except StaleVersion:
            why = "Somebody else changed this companion. Nothing was saved; look at it and save again."
            return self._page(request, companion, name=name, draft=draft, why=why, status=409)
        except RapportError as error:
            return self._page(request, companion, name=name, draft=draft, why=sentence_of(error), status=422)
        messages.success(request, "Behaviour removed." if do == "remove" else "Behaviour saved.")
        return redirect("admin_ui:companion_behaviours", companion_id)

    def _write(
        self, request: HttpRequest, companion: Companion, name: str, definition: dict[str, Any] | None
    ) -> None:
        if not name:
            raise InvalidInput.of("name", "is empty")
        config = copy.deepcopy(companion.config)
        named = config.setdefault("behaviours", {}).setdefault("named", {})
        named.pop(name, None)
        if definition is not None:
            read_draft(definition, inside=name)
            named[name] = definition
        write_companion_config(
            project_id=companion.project_id,
            companion_id=companion.id,
            config=config,
            merge=False,
            by=self.access.actor,
            expected_version=required_version(request.POST),
        )

    def _try(self, request: HttpRequest, draft: dict[str, Any]) -> DryRun:
        person = self._person(request.POST.get("relationship", ""))
        if person is None:
            raise InvalidInput.of("relationship", "choose a person first")
        return dry_run(relationship=person, behaviour=read_draft(draft, inside="draft"), last=TRIED)

    def _retry(self, request: HttpRequest, companion: Companion) -> HttpResponse:
        person = self._person(request.POST.get("relationship", ""))
        run_id = parse_uuid(request.POST.get("run", ""))
        if person is None or run_id is None:
            raise InvalidInput.of("run", "does not exist")
        retry_run(relationship_id=person.id, run_id=run_id)
        messages.success(request, "Retrying the run.")
        response = redirect("admin_ui:companion_behaviours", companion.id)
        response["Location"] += f"?relationship={person.id}"
        return response

    def _person(self, told: str) -> Relationship | None:
        relationship_id = parse_uuid(told)
        return self.get_relationship(relationship_id) if relationship_id else None

    def _page(
        self,
        request: HttpRequest,
        companion: Companion,
        *,
        name: str,
        draft: str,
        tried: DryRun | None = None,
        why: str = "",
        status: int = 200,
    ) -> HttpResponse:
        companion = self.get_companion(companion.id)  # as it is by now
        present = resolve_configuration(project=companion.project.config, companion=companion.config)
        named = present.values.behaviours.named
        people = Relationship.objects.of_project(companion.project_id).filter(companion_id=companion.id)
        person = self._person(request.POST.get("relationship", "") or request.GET.get("relationship", ""))
        own = companion.config.get("behaviours", {}).get("named", {})
        runs = BehaviourRun.objects.for_relationship(person.id) if person else BehaviourRun.objects.none()
        ctx: dict[str, Any] = {
            "companion": companion,
            "behaviours": sorted(named.items(), key=lambda pair: (pair[1].order, pair[0])),
            "own": own,
            "name": name,
            "draft": draft,
            "tried": tried,
            "why": why,
            "people": people.select_related("user").order_by("-last_turn_at", "id")[:MOST_PEOPLE],
            "person": person,
            "page": page_of(request, runs.fired().order_by("-id"), size=RUNS_A_PAGE),
        }
        return render(request, "admin_ui/behaviours/list.html", ctx, status=status)


def _object(text: str) -> dict[str, Any]:
    """Raises InvalidInput."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput.of("draft", f"is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidInput.of("draft", "must be a JSON object, in braces")
    return found
