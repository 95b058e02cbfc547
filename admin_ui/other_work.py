"""A project's work besides turns that waits or failed: what the overview counts, and the rows behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Model
from django.urls import reverse

from admin_ui.words import grouped
from behaviours.models import BehaviourRun
from connect.models import EventDelivery
from knowledge.models import Document
from memory.models import Replay
from summaries.models import Summary
from worker.models import QueuedRow
from worker.other_work import DUE, FAILED, PROCESSING, RETRYING, STATES, other_work, read_other_work, rows_of
from workspace.models import AgentSession

MOST_SHOWN = 50  # rows of one kind and state


@dataclass(frozen=True, slots=True)
class Kind:
    """How rows of one kind are shown: in words, in the plural; each with a title, and the address of its page."""

    words: str
    title: Callable[[Any], str]
    address: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A row that failed or is tried again. `state`: FAILED or RETRYING."""

    row: Any
    state: str

    @property
    def kind(self) -> Kind:
        return KINDS[type(self.row)]

    @property
    def title(self) -> str:
        return self.kind.title(self.row)

    @property
    def address(self) -> str:
        return self.kind.address(self.row)


def _run_page(row: BehaviourRun) -> str:
    page = reverse("admin_ui:companion_behaviours", args=[row.relationship.companion_id])
    return f"{page}?relationship={row.relationship_id}#runs"


KINDS: dict[type[Model], Kind] = {
    AgentSession: Kind(
        "agents' sessions",
        lambda row: row.task,
        lambda row: reverse("admin_ui:relationship_agent_session", args=[row.relationship_id, row.id]),
    ),
    BehaviourRun: Kind("behaviours", lambda row: row.behaviour, _run_page),
    Document: Kind(
        "documents",
        lambda row: row.name,
        lambda row: reverse("admin_ui:companion_document", args=[row.companion_id, row.id]),
    ),
    EventDelivery: Kind(
        "webhooks",
        lambda row: "delivery of events",
        lambda row: reverse("admin_ui:relationship", args=[row.relationship_id]),
    ),
    Replay: Kind(
        "replays",
        lambda row: "comparison of prompts",
        lambda row: reverse(
            "admin_ui:companion_replay", args=[row.relationship.companion_id, row.relationship_id, row.id]
        ),
    ),
    Summary: Kind(
        "summaries",
        lambda row: f"the first {grouped(row.messages)} messages",
        lambda row: reverse("admin_ui:relationship_summaries", args=[row.relationship_id]),
    ),
}


def other_work_of(project_id: UUID) -> list[tuple[str, bool]]:
    """Return what else the project waits for or was given up, such as "documents: 2 queued, 1 failed", and whether
    something fails.
    """
    shown = []
    for model, of_state in _counted(project_id).items():
        rows = [(of_state[state], state) for state in STATES if state in of_state]
        told = ", ".join(f"{grouped(count)} {'queued' if state == DUE else state}" for count, state in rows)
        shown.append((f"{KINDS[model].words}: {told}", bool({RETRYING, FAILED} & of_state.keys())))
    return shown


def unfinished_of(project_id: UUID) -> list[Unfinished]:
    """Return the rows that failed or are tried again, MOST_SHOWN of each kind and state."""
    return [
        Unfinished(row, state)
        for model, of_state in _counted(project_id).items()
        for state in (FAILED, RETRYING)
        if state in of_state
        for row in rows_of(model, project_id, state).select_related(*_named_by(model))[:MOST_SHOWN]
    ]


def _counted(project_id: UUID) -> dict[type[QueuedRow], dict[str, int]]:
    models = {str(model._meta.verbose_name): model for model in other_work()}
    counted: dict[type[QueuedRow], dict[str, int]] = {}
    for work in read_other_work(project_id):
        if work.state != PROCESSING:
            counted.setdefault(models[work.kind], {})[work.state] = work.rows
    return counted


def _named_by(model: type[QueuedRow]) -> tuple[str, ...]:
    return ("companion",) if model is Document else ("relationship__user", "relationship__companion")
