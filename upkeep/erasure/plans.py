"""Carry out a plan to forget by erasing: entries, parts of entries, messages and what other rooms keep.

A plan that was carried out by hiding can be erased later.
"""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.entries.adding import add_what_fits
from memory.entries.limits import EDITABLE
from memory.errors import SameAsAnother
from memory.mending.candidates import forgettables
from memory.mending.execution import choose_items, finish, ids_of, lock_plan
from memory.mending.plans import leave_plans
from memory.models import EntrySource, EntryState, MendingPlan, MendingState, MendingVerb, ScratchpadEntry
from relationships.models import Message, Relationship
from upkeep.erasure.allow_erasure import erasing
from upkeep.erasure.counts import Counts, tell
from upkeep.erasure.entries import erase_entries
from upkeep.erasure.messages import redact_messages
from web.actor import Actor
from web.errors import InvalidInput

_KEPT = EDITABLE - {"content", "effective_at"}  # columns of an entry of which a part stays


def erase_plan(plan: MendingPlan, *, by: Actor, ticked: Collection[int] | None = None) -> MendingPlan:
    """Erase what is ticked (None: the plan's own ticks), in one transaction. It can't be undone.

    What stays of an entry becomes a new entry, as the old one's history is erased. What was changed since is left
    alone, and its item says so. Raises AlreadyDecided, InvalidInput.
    """
    with erasing():
        relationship, plan = lock_plan(plan)
        now, counts = timezone.now(), Counts()
        listed = _listed(plan, ticked)
        chosen = _as_planned(plan, listed)
        finish(plan, MendingState.ERASED, listed, {UUID(item["id"]) for item in chosen}, now)
        counts += _erase_entries(relationship, [item for item in chosen if item["kind"] == "entry"], by)
        if messages := ids_of(chosen, "message"):
            counts += redact_messages(
                project_id=plan.project_id, relationship_id=plan.relationship_id, message_ids=messages, by=by
            )
        for finder in forgettables():
            if ids := ids_of(chosen, finder.kind):
                finder.erase(relationship, ids, now=now)
                counts[finder.kind] += len(ids)
        leave_plans(plan.relationship_id, {UUID(item["id"]) for item in chosen})
        tell(project_id=plan.project_id, level="plan", target_id=plan.id, by=by, counts=counts)
    return plan


def _listed(plan: MendingPlan, ticked: Collection[int] | None) -> list[dict[str, Any]]:
    if plan.state != MendingState.CARRIED_OUT or plan.verb != MendingVerb.FORGET:
        return choose_items(plan, ticked)
    if ticked is not None:
        raise InvalidInput.of("ticked", "leave it out: a plan that was carried out is erased as a whole")
    return [item for item in plan.items if item["done"]]


def _as_planned(plan: MendingPlan, listed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that haven't changed since the plan was made, or since it hid them; then `rest` is what is left."""
    hid = plan.state == MendingState.CARRIED_OUT
    ids = [item["id"] for item in listed]
    rows = ScratchpadEntry.objects.for_relationship(plan.relationship_id).filter(id__in=ids)
    entries = {row.id: row for row in rows}
    shown = Message.objects.for_relationship(plan.relationship_id).filter(id__in=ids, hidden_at=None)
    again = set(shown.values_list("id", flat=True)) if hid else set()
    chosen = []
    # An entry comes before its earlier versions.
    for item in sorted(listed, key=lambda item: bool(item.get("hidden"))):
        entry = entries.get(UUID(item["id"]))
        if item["kind"] != "entry":
            same = UUID(item["id"]) not in again
        elif entry is None:
            same = False
        elif not hid:
            same = entry.version == item["version"]
        else:
            same = item["action"] == "edit" or entry.state == EntryState.DELETED
            item = {**item, "rest": None if entry.state == EntryState.DELETED else entry.content}
        chosen += [item] if same else []
    return chosen


def _erase_entries(relationship: Relationship, items: Sequence[dict[str, Any]], by: Actor) -> Counts:
    rests: dict[UUID, str | None] = {}
    for item in items:
        rests.setdefault(UUID(item["id"]), item["rest"])  # an entry comes before its earlier versions
    rows = ScratchpadEntry.objects.for_relationship(relationship.id).filter(id__in=rests)
    entries = list(rows.order_by("id"))
    counts = erase_entries(entries, {key: rest for key, rest in rests.items() if rest is not None}, by=by)
    left = [(entry, rests[entry.id]) for entry in entries if entry.state == EntryState.ACTIVE]
    given = [
        (
            {name: getattr(entry, name) for name in _KEPT}
            | {"content": rest, "effective_at": entry.effective_at},
            "",
        )
        for entry, rest in left
        if rest is not None
    ]
    _, refused = add_what_fits(relationship=relationship, given=given, by=by, source=EntrySource.API)
    for error in refused.values():
        if not isinstance(error, SameAsAnother):  # another entry already says the rest
            raise error
    return counts
