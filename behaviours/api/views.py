from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from behaviours.api.schemas import (
    BehaviourAnswer,
    DryRunAnswer,
    DryRunBody,
    RunAnswer,
    RunListQuery,
    RunQuery,
    SecretAnswer,
    present_behaviour,
    present_dry_run,
    present_run,
)
from behaviours.dry_runs import dry_run, read_draft
from behaviours.models import BehaviourRun
from behaviours.runs import get_run, retry_run
from behaviours.webhooks import secret_of
from memory.mending.forgotten import Forgotten
from relationships.api.views import ApiView
from relationships.configuration.cascade import LEVELS, resolve_configuration
from relationships.services.companions import get_companion
from relationships.services.configuration import configuration_of
from web.fields import Page
from web.operations import operation

TAG = "Behaviours"
ORDER = ("recipe", *LEVELS)


class BehavioursView(ApiView):
    @operation(
        "behaviours_list", "List a relationship's behaviours, in order", answers={200: Page[BehaviourAnswer]}
    )
    def get(self, request: Request, relationship_id: UUID) -> Response:
        """The behaviours in effect here, from any level of the configuration. To change them:
        PATCH /v1/companions/{companion_id}, `config.behaviours.named`.
        """
        relationship = self.get_relationship(relationship_id, "companion", "project")
        resolved = configuration_of(relationship)
        named = resolved.values.behaviours.named
        order = sorted(named, key=lambda name: (named[name].order, name))
        levels = _levels(resolved.provenance)
        rows = [present_behaviour(name, named[name], levels.get(name, "default")) for name in order]
        return self.answer({"items": rows, "next_cursor": None})


class DryRunView(ApiView):
    scopes: ClassVar = {"POST": "read"}  # it changes nothing

    @operation(
        "behaviours_dry_run",
        "See where a draft of a behaviour would have done something",
        answers={200: DryRunAnswer},
    )
    def post(self, request: Request, relationship_id: UUID, body: DryRunBody) -> Response:
        """Tries the last turns. No model is asked, nothing is sent. Profile, session and held deletions are today's."""
        relationship = self.get_relationship(relationship_id, "companion", "user")
        draft = read_draft(body.behaviour, inside="behaviour")
        done = dry_run(relationship=relationship, behaviour=draft, last=body.last)
        return self.answer(present_dry_run(done))


class RunsView(ApiView):
    @operation(
        "behaviour_runs_list", "List what behaviours did, newest first", answers={200: Page[RunAnswer]}
    )
    def get(self, request: Request, relationship_id: UUID, query: RunListQuery) -> Response:
        """Without runs that no worker has looked at yet. Runs for contexts are kept for 30 days."""
        rows = self.owned(BehaviourRun, relationship_id).fired()
        rows = rows.filter(**query.given("behaviour", "state", "action"))
        rows = rows.filter(turn_id=query.turn) if query.turn else rows
        present = present_run if query.hidden else _without_hidden(relationship_id)
        return self.page(rows, present, order=["-id"], query=query)


class RunView(ApiView):
    @operation("behaviour_runs_read", "Read a run of a behaviour", answers={200: RunAnswer})
    def get(self, request: Request, relationship_id: UUID, run_id: UUID, query: RunQuery) -> Response:
        self.get_relationship(relationship_id)
        present = present_run if query.hidden else _without_hidden(relationship_id)
        return self.answer(present(get_run(relationship_id, run_id)))


class RetryRunView(ApiView):
    @operation(
        "behaviour_runs_retry", "Try a failed or waiting run again", answers={202: RunAnswer}, problems=(409,)
    )
    def post(self, request: Request, relationship_id: UUID, run_id: UUID) -> Response:
        self.get_relationship(relationship_id)
        again = retry_run(relationship_id=relationship_id, run_id=run_id)
        return self.answer(_without_hidden(relationship_id)(again), status=202)


class WebhookSecretView(ApiView):
    scopes: ClassVar = {"GET": "admin"}

    @operation(
        "webhook_secret_read", "Read what a companion's webhooks are signed with", answers={200: SecretAnswer}
    )
    def get(self, request: Request, companion_id: UUID) -> Response:
        """For Standard Webhooks signatures: the first of `webhooks.secrets`. Needs the scope `admin`. It changes with
        RAPPORT_SECRET_KEY.
        """
        companion = get_companion(project_id=self.project_id, companion_id=companion_id)
        values = resolve_configuration(project=companion.project.config, companion=companion.config).values
        return self.answer({"secret": secret_of(companion.id, values.webhooks.secrets[0])})


def _without_hidden(relationship_id: UUID) -> Callable[[BehaviourRun], dict[str, Any]]:
    forgotten = Forgotten.of(relationship_id)

    def present(run: BehaviourRun) -> dict[str, Any]:
        if forgotten.in_run(run.kind, run.turn_id, run.entry_ids, run.fired_at):
            run.rendered = run.answer = run.outcome = run.error = ""
        return present_run(run)

    return present


def _levels(provenance: Mapping[str, str]) -> dict[str, str]:
    """The highest level that sets any part of each behaviour, by name."""
    found: dict[str, str] = {}
    for path, level in provenance.items():
        section, _, rest = path.partition(".named.")
        if section == "behaviours":
            name = rest.partition(".")[0]
            found[name] = max(found.get(name, level), level, key=ORDER.index)
    return found
