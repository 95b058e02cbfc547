"""Carries a plan to forget out for good: entries, parts of entries, messages and what other rooms keep."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.entries.editing import add_entry
from memory.errors import SameAsAnother
from memory.mending.candidates import forgettables
from memory.mending.carrying import choose_items, finish, locked_relationship
from memory.mending.plans import leave_plans, plan_of
from memory.models import EntrySource, EntryState, MendingPlan, MendingState, ScratchpadEntry
from upkeep.erasure.allow_erasure import erasing
from upkeep.erasure.counts import Counts, Erasure, tell
from upkeep.erasure.entries import erase_entry
from upkeep.erasure.messages import redact_messages
from web.actor import Actor

_KEPT = (
    "type",
    "subject",
    "key",
    "single_valued",
    "importance",
    "confidence",
    "weight",
    "pinned",
    "tags",
    "metadata",
)


def erase_plan(
    plan: MendingPlan, *, by: Actor, ticked: Collection[int] | None = None
) -> tuple[MendingPlan, Erasure]:
    """Erase what is ticked (None: as the plan has it), in one transaction; it can't be undone. What stays of an entry
    becomes an entry of its own, as the history of the old one goes. Raises AlreadyDecided, InvalidInput.
    """
    with erasing():
        relationship = locked_relationship(plan)
        plan = plan_of(plan.relationship_id, plan.id)
        now, counts = timezone.now(), Counts()
        chosen = choose_items(plan, ticked)
        finish(plan, MendingState.ERASED, chosen, {UUID(item["id"]) for item in chosen}, now)
        for item in chosen:
            if item["kind"] == "entry":
                counts += _erase_entry(relationship, item, by)
        messages = [UUID(item["id"]) for item in chosen if item["kind"] == "message"]
        if messages:
            counts += Counts(
                redact_messages(
                    project_id=plan.project_id,
                    relationship_id=plan.relationship_id,
                    message_ids=messages,
                    by=by,
                ).counts
            )
        for finder in forgettables():
            if ids := [UUID(item["id"]) for item in chosen if item["kind"] == finder.kind]:
                finder.erase(relationship, ids, now=now)
                counts[finder.kind] += len(ids)
        leave_plans(plan.relationship_id, {UUID(item["id"]) for item in chosen})
        erasure = tell(project_id=plan.project_id, level="plan", target_id=plan.id, by=by, counts=counts)
    return plan, erasure


def _erase_entry(relationship: Any, item: dict[str, Any], by: Actor) -> Counts:
    entry = ScratchpadEntry.objects.for_relationship(relationship.id).filter(id=item["id"]).first()
    if entry is None:
        return Counts()
    erasure = erase_entry(relationship_id=relationship.id, entry_id=entry.id, by=by, messages="keep").erasure
    if item["rest"] is not None and entry.state == EntryState.ACTIVE:
        values = {name: getattr(entry, name) for name in _KEPT}
        with suppress(SameAsAnother):  # another says the rest already
            add_entry(
                relationship=relationship,
                values={**values, "content": item["rest"], "effective_at": entry.effective_at},
                by=by,
                source=EntrySource.API,
            )
    return Counts(erasure.counts)
