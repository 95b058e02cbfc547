"""Carry out a plan as one batch, and undo it. After that the plan has only IDs. (Permanent erasure:
upkeep.erasure.plans.)
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.history import Change, change_entries, changed, with_values
from memory.entries.uniqueness import Taken
from memory.errors import AlreadyDecided
from memory.mending.candidates import forgettables
from memory.mending.plans import plan_of
from memory.models import (
    EntryRevision,
    EntryState,
    MendingPlan,
    MendingState,
    RevisionEvent,
    ScratchpadEntry,
)
from relationships.models import Relationship
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.rows import require_lock
from web.actor import Actor
from web.errors import InvalidInput

FORGOTTEN, CORRECTED = "asked to forget it", "corrected by the person"


@transaction.atomic
def carry_out(
    plan: MendingPlan,
    *,
    by: Actor,
    ticked: Collection[int] | None = None,
    now: datetime | None = None,
    deleted: Collection[UUID] = (),
) -> MendingPlan:
    """Change what is ticked (None: the plan's own ticks) in one transaction. An entry that was changed since is left
    alone, and its item says so, unless this transaction has `deleted` it already. Raises AlreadyDecided, InvalidInput.
    """
    relationship, plan = lock_plan(plan)
    now = now or timezone.now()
    chosen = [item for item in choose_items(plan, ticked) if not item.get("hidden")]
    done = _change_entries(plan, chosen, by, now)
    done |= {*ids_of(chosen, "entry")} & {*deleted}
    messages = ids_of(chosen, "message")
    hide_messages(relationship_id=relationship.id, message_ids=messages, now=now)
    done |= set(messages)
    for finder in forgettables():
        done |= finder.hide(relationship, ids_of(chosen, finder.kind), now=now)
    finish(plan, MendingState.CARRIED_OUT, chosen, done, now)
    return plan


@transaction.atomic
def decline_plan(plan: MendingPlan) -> MendingPlan:
    """Leave everything as it is. Raises AlreadyDecided."""
    _, plan = lock_plan(plan)
    _require_proposed(plan)
    finish(plan, MendingState.DECLINED, [], set(), timezone.now())
    return plan


def lock_plan(plan: MendingPlan) -> tuple[Relationship, MendingPlan]:
    """Lock the relationship, and read it and the plan as they are now. Raises NotFound."""
    require_lock(plan.relationship_id)
    pairs = Relationship.objects.select_related("companion", "project", "user")
    return pairs.get(id=plan.relationship_id), plan_of(plan.relationship_id, plan.id)


def choose_items(plan: MendingPlan, ticked: Collection[int] | None) -> list[dict[str, Any]]:
    """The items to carry out, with the messages that asked. Raises AlreadyDecided; InvalidInput for a number that the
    plan does not have."""
    _require_proposed(plan)
    known = {item["number"]: item for item in plan.items}
    asking = {item["number"] for item in plan.items if item["asks"]}
    wanted = {item["number"] for item in plan.items if item["ticked"]} if ticked is None else {*ticked}
    for number in sorted(wanted):
        if number not in known:
            raise InvalidInput.of("ticked", f"the plan has no item {number}")
        if known[number]["fixed"]:
            raise InvalidInput.of("ticked", f"item {number} can't be changed: it {known[number]['why']}")
    return [known[number] for number in sorted(wanted | asking)]


def _require_proposed(plan: MendingPlan) -> None:
    if plan.state != MendingState.PROPOSED:
        raise AlreadyDecided(f"This plan is {plan.state.replace('_', ' ')} already.")


def finish(
    plan: MendingPlan,
    state: MendingState,
    chosen: Sequence[dict[str, Any]],
    done: Collection[UUID],
    now: datetime,
) -> None:
    """Store the plan's outcome: which rows were changed, without their texts."""
    plan.items = [
        {
            "number": item["number"],
            "kind": item["kind"],
            "id": item["id"],
            "action": item["action"],
            "version": item["version"] + (item["kind"] == "entry"),
            "done": UUID(item["id"]) in done,
        }
        for item in chosen
    ]
    plan.state, plan.what, plan.to, plan.carried_out_at = state, "", "", now
    _save(plan, "items", "state", "what", "to", "carried_out_at")


def _change_entries(
    plan: MendingPlan, chosen: Sequence[dict[str, Any]], by: Actor, now: datetime
) -> set[UUID]:
    wanted = {UUID(item["id"]): item for item in chosen if item["kind"] == "entry"}
    rows = ScratchpadEntry.objects.for_relationship(plan.relationship_id).filter(id__in=list(wanted))
    present = [entry for entry in rows.order_by("id") if entry.version == wanted[entry.id]["version"]]
    reason = FORGOTTEN if plan.verb == "forget" else CORRECTED
    told = {} if plan.verb == "forget" else {"effective_at": now}
    edits = {entry.id: {"content": rest, **told} for entry in present if (rest := wanted[entry.id]["rest"])}
    edited = [with_values(entry, edits[entry.id]) for entry in present if entry.id in edits]
    taken = Taken.read(plan.relationship_id, edited, present)
    changes: list[Change] = []
    for entry in sorted(present, key=lambda entry: entry.id in edits):  # what goes makes room for what stays
        values = edits.get(entry.id)
        if values is None or taken.same_as(with_values(entry, values)):  # another entry already says the rest
            gone = EntryState.DELETED
            changes.append(changed(entry, RevisionEvent.DELETE, at=now, reason=reason, state=gone))
        else:
            changes.append(changed(entry, RevisionEvent.UPDATE, at=now, reason=reason, **values))
            taken.add(entry)
    change_entries(
        relationship_id=plan.relationship_id, project_id=plan.project_id, changes=changes, by=by, now=now
    )
    return {change.entry.id for change in changes if change.entry}


@transaction.atomic
def undo_plan(plan: MendingPlan, *, by: Actor) -> MendingPlan:
    """Restore what a plan hid or changed, except for entries that were changed since. Raises AlreadyDecided."""
    relationship, plan = lock_plan(plan)
    if plan.state != MendingState.CARRIED_OUT:
        raise AlreadyDecided(f"This plan is {plan.state.replace('_', ' ')}: there is nothing to undo.")
    now = timezone.now()
    done = [item for item in plan.items if item["done"]]
    versions = {UUID(item["id"]): item["version"] for item in done if item["kind"] == "entry"}
    _restore_entries(plan, versions, by, now)
    messages = ids_of(done, "message")
    show_messages(relationship_id=relationship.id, message_ids=messages, now=now)
    for finder in forgettables():
        finder.restore(relationship, ids_of(done, finder.kind), now=now)
    plan.state = MendingState.UNDONE
    _save(plan, "state")
    return plan


def _restore_entries(plan: MendingPlan, versions: Mapping[UUID, int], by: Actor, now: datetime) -> None:
    """Restore the entries that still have the version the plan left, unless another has their text or key by now."""
    rows = ScratchpadEntry.objects.for_relationship(plan.relationship_id).filter(id__in=list(versions))
    revisions = EntryRevision.objects.for_relationship(plan.relationship_id).exclude(before=None)
    made = revisions.filter(entry_id__in=list(versions), entry_version__in=set(versions.values()))
    found = made.order_by("-id").values_list("entry_id", "entry_version", "before")
    # the fields before the revision that made the version which the plan left
    left = {entry_id: before for entry_id, version, before in found if version == versions[entry_id]}
    wanted: list[tuple[ScratchpadEntry, dict[str, Any]]] = []
    for entry in rows.order_by("id"):
        was = left.get(entry.id)
        if was is not None and entry.version == versions[entry.id]:
            told_at = datetime.fromisoformat(was["effective_at"])
            values = {"state": was["state"], "content": was["content"], "effective_at": told_at}
            wanted.append((entry, values))
    restored = [with_values(*one) for one in wanted]
    taken = Taken.read(plan.relationship_id, restored, [entry for entry, _ in wanted])
    changes = []
    for (entry, values), new in zip(wanted, restored, strict=True):
        if new.state == EntryState.ACTIVE and (taken.same_as(new) or taken.holder_of_key(new)):
            continue
        event = RevisionEvent.RESTORE if entry.state == EntryState.DELETED else RevisionEvent.UPDATE
        changes.append(changed(entry, event, at=now, reason="the plan was undone", **values))
        taken.add(entry)
    owner = {"relationship_id": plan.relationship_id, "project_id": plan.project_id}
    change_entries(**owner, changes=changes, by=by, now=now, stood_before=True)


def ids_of(items: Sequence[dict[str, Any]], kind: str) -> list[UUID]:
    return [UUID(item["id"]) for item in items if item["kind"] == kind]


def _save(plan: MendingPlan, *names: str) -> None:
    rows = MendingPlan.objects.for_relationship(plan.relationship_id).filter(id=plan.id)
    rows.update(**{name: getattr(plan, name) for name in names})
