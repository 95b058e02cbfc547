"""A plan to forget or to correct: made, carried out as one batch, undone. The only writers of MendingPlan.

A plan that waits quotes what it is about, so it is dropped after an hour; one that was carried out holds IDs only.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.fingerprint import content_hash
from memory.entries.history import Change, change_entries, changed, fields_of
from memory.errors import AlreadyDecided, NothingFits, UnparsableAnswer
from memory.mending.asking import Asked, ask_model, model_of, storable, store_call
from memory.mending.candidates import Candidate, Scope, find_candidates, forgettables, scope_of
from memory.mending.choosing import choose
from memory.mending.judging import PERHAPS, Verdict
from memory.mending.undoing import restore_entries
from memory.mending.wishes import read_wish
from memory.models import EntryState, MendingPlan, MendingState, RevisionEvent, ScratchpadEntry
from providers.errors import ProviderError
from relationships.ids import uuid7
from relationships.models import Relationship
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.sequence import lock_relationship
from web.actor import Actor
from web.errors import InvalidInput, NotFound, Unavailable, UpstreamFailed
from worker.waiting import waiting_place

KEPT = timedelta(hours=1)  # a plan that nobody carries out
MOST_ITEMS = 500
FORGOTTEN, CORRECTED = "asked to forget it", "corrected by the person"


@dataclass(frozen=True, slots=True)
class Draft:
    """What a plan is made of before it is stored. `asked`: the question to a model, where one judged."""

    scope: Scope
    verb: str
    to: str
    found: list[Candidate]
    asked: Asked | None

    @property
    def ticked(self) -> list[Candidate]:
        return [one for one in self.found if one.ticked]


def draft_plan(
    relationship: Relationship,
    *,
    verb: str,
    what: str,
    to: str = "",
    before: int | None = None,
    by_rules: bool = False,
) -> Draft:
    """Find and judge; load `relationship` with user, companion and project. A model is asked where the companion has
    one: no transaction may be open. Raises what `ask_model` raises.
    """
    scope = scope_of(relationship, read_wish(what), before=before)
    scope = replace(scope, wish=read_wish(what, scope.owners))
    candidates, stems = find_candidates(scope)
    asked = None
    who = None if by_rules else model_of(scope)
    if who is not None and candidates and not scope.wish.everything and not scope.wish.last:
        asked = ask_model(scope, candidates, verb=verb, to=to, who=who)
    else:
        choose(scope, candidates, stems)
        if verb == "correct":
            _correct_by_rules(candidates, to)
    told = [one for one in candidates if one.ticked or one.judgement.verdict != Verdict.NOT]
    told.sort(key=lambda one: (not one.ticked, -one.judgement.score, one.kind, one.seq))
    return Draft(scope, verb, to, told[:MOST_ITEMS], asked)


def _correct_by_rules(candidates: Sequence[Candidate], to: str) -> None:
    """One entry surely says it: it says the new thing. Of several, a person has to choose; messages stay as said."""
    sure = [one for one in candidates if one.kind == "entry" and one.ticked]
    for one in candidates:
        one.ticked = one.ticked and len(sure) == 1 and one.kind == "entry"
        one.rest = (
            _in_place(one, to) if one.kind == "entry" and one.judgement.verdict != Verdict.NOT else None
        )


def _in_place(one: Candidate, to: str) -> str:
    """The new fact beside what else the entry says."""
    if not one.rest:
        return to.strip()
    return f"{one.rest.rstrip(' .')}. {to.strip()}"


def make_plan(
    relationship: Relationship, *, verb: str, what: str, to: str = "", depth: str = "hide", by: Actor
) -> MendingPlan:
    """Draft and store, for somebody who waits. Raises UpstreamFailed, Unavailable, BudgetSpent, NothingFits."""
    with waiting_place(uuid7()) as place:  # it holds a thread, like a turn that is waited for
        if place is None:
            raise Unavailable("Too many requests are waiting for a model; try again in a moment.")
        try:
            draft = draft_plan(relationship, verb=verb, what=what, to=to)
        except (ProviderError, UnparsableAnswer) as error:
            raise UpstreamFailed(f"The model gave no usable answer: {storable(str(error))}") from error
    if verb == "correct":
        refuse_nothing(draft)
    return store_plan(draft, depth=depth, by=by)


@transaction.atomic
def store_plan(draft: Draft, *, depth: str, by: Actor, turn_id: UUID | None = None) -> MendingPlan:
    """Keep a draft as a plan that waits. For `correct` raises NothingFits where no entry says it: with what was
    looked at."""
    relationship = draft.scope.relationship
    lock_relationship(relationship.id)
    if draft.asked is not None:
        store_call(draft.asked)
    plan = MendingPlan(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        verb=draft.verb,
        depth=depth,
        what=draft.scope.wish.text,
        to=draft.to,
        items=[_item(number, one) for number, one in enumerate(draft.found, start=1)],
        judged_by=draft.asked.call.model if draft.asked else "",
        turn_id=turn_id,
        actor_kind=by.kind,
        actor_id=by.id,
    )
    plan.save(force_insert=True)
    return plan


def refuse_nothing(draft: Draft) -> None:
    """Raises NothingFits where a correction has no entry that it could be about, with the likeliest as they are."""
    entries = [one for one in draft.found if one.kind == "entry"]
    if any(one.ticked or one.judgement.score >= PERHAPS for one in entries):
        return
    looked_at = [
        {"id": str(one.id), "content": one.text[:300], "score": round(one.judgement.score, 2)}
        for one in entries
    ]
    raise NothingFits(
        "No entry says this. Name the entry's own words, or add an entry.", looked_at=looked_at[:5]
    )


def _item(number: int, one: Candidate) -> dict[str, Any]:
    return {
        "number": number,
        "kind": one.kind,
        "id": str(one.id),
        "action": "edit" if one.rest is not None else "hide",
        "sentence": one.judgement.sentence or one.text[:300],
        "rest": one.rest,
        "score": round(one.judgement.score, 2),
        "why": one.judgement.why or one.fixed,
        "ticked": one.ticked,
        "fixed": bool(one.fixed),
        "version": one.version,
        "role": one.role,
    }


def plan_of(relationship_id: UUID, plan_id: UUID) -> MendingPlan:
    """Raises NotFound."""
    plan: MendingPlan | None = (
        MendingPlan.objects.for_relationship(relationship_id).filter(id=plan_id).first()
    )
    if plan is None:
        raise NotFound("This plan is not there. One that nobody carries out is dropped after an hour.")
    return plan


def carry_out(
    plan: MendingPlan, *, by: Actor, ticked: Collection[int] | None = None, now: datetime | None = None
) -> MendingPlan:
    """Change what is ticked (None: as the plan has it) in one transaction. An entry that was changed since is left, and
    its item says so. Raises AlreadyDecided, InvalidInput.
    """
    with transaction.atomic():
        relationship = locked_relationship(plan)
        plan = plan_of(plan.relationship_id, plan.id)
        now = now or timezone.now()
        chosen = choose_items(plan, ticked)
        done = _change_entries(plan, chosen, by, now)
        messages = [UUID(item["id"]) for item in chosen if item["kind"] == "message"]
        hide_messages(relationship_id=relationship.id, message_ids=messages, now=now)
        done |= set(messages)
        for finder in forgettables():
            ids = [UUID(item["id"]) for item in chosen if item["kind"] == finder.kind]
            if ids:
                finder.hide(relationship, ids, now=now)
                done |= set(ids)
        finish(plan, MendingState.CARRIED_OUT, chosen, done, now)
    return plan


def locked_relationship(plan: MendingPlan) -> Relationship:
    lock_relationship(plan.relationship_id)
    return Relationship.objects.select_related("companion", "project", "user").get(id=plan.relationship_id)


def choose_items(plan: MendingPlan, ticked: Collection[int] | None) -> list[dict[str, Any]]:
    """The items to carry out. Raises AlreadyDecided; InvalidInput for a number that the plan does not have."""
    if plan.state != MendingState.PROPOSED:
        raise AlreadyDecided(f"This plan is {plan.state.replace('_', ' ')} already.")
    known = {item["number"]: item for item in plan.items}
    wanted = (
        [item["number"] for item in plan.items if item["ticked"]] if ticked is None else sorted(set(ticked))
    )
    for number in wanted:
        if number not in known:
            raise InvalidInput.of("ticked", f"the plan has no item {number}")
        if known[number]["fixed"]:
            raise InvalidInput.of("ticked", f"item {number} can't be changed: it {known[number]['why']}")
    return [known[number] for number in wanted]


def finish(
    plan: MendingPlan,
    state: MendingState,
    chosen: Sequence[dict[str, Any]],
    done: Collection[UUID],
    now: datetime,
) -> None:
    """Keep which rows were changed, and none of their words."""
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
    taken = _texts_of_others(plan.relationship_id, wanted)
    reason = FORGOTTEN if plan.verb == "forget" else CORRECTED
    changes: list[Change] = []
    for entry in rows.order_by("id"):
        item = wanted[entry.id]
        if entry.version != item["version"]:
            continue
        before = fields_of(entry)
        if item["rest"] is None:
            entry.state = EntryState.DELETED
            changes.append(changed(entry, before, RevisionEvent.DELETE, at=now, reason=reason))
            continue
        fingerprint = (entry.subject, entry.type, content_hash(item["rest"]))
        if fingerprint in taken:  # another says the rest already
            entry.state = EntryState.DELETED
            changes.append(changed(entry, before, RevisionEvent.DELETE, at=now, reason=reason))
            continue
        taken.add(fingerprint)
        entry.content, entry.content_hash = item["rest"], fingerprint[2]
        if plan.verb == "correct":
            entry.effective_at = now
        changes.append(changed(entry, before, RevisionEvent.UPDATE, at=now, reason=reason))
    change_entries(
        relationship_id=plan.relationship_id, project_id=plan.project_id, changes=changes, by=by, now=now
    )
    return {change.entry.id for change in changes if change.entry}


def _texts_of_others(relationship_id: UUID, ids: Collection[UUID]) -> set[tuple[str, str, bytes]]:
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).active().exclude(id__in=list(ids))
    return {
        (subject, kind, bytes(digest))
        for subject, kind, digest in rows.values_list("subject", "type", "content_hash")
    }


def undo_plan(plan: MendingPlan, *, by: Actor) -> MendingPlan:
    """Bring back what a plan hid or changed, but for entries that were changed since. Raises AlreadyDecided."""
    with transaction.atomic():
        relationship = locked_relationship(plan)
        plan = plan_of(plan.relationship_id, plan.id)
        if plan.state != MendingState.CARRIED_OUT:
            raise AlreadyDecided(f"This plan is {plan.state.replace('_', ' ')}: there is nothing to undo.")
        now = timezone.now()
        done = [item for item in plan.items if item["done"]]
        restore_entries(
            plan, {UUID(item["id"]): item["version"] for item in done if item["kind"] == "entry"}, by, now
        )
        messages = [UUID(item["id"]) for item in done if item["kind"] == "message"]
        show_messages(relationship_id=relationship.id, message_ids=messages, now=now)
        for finder in forgettables():
            if ids := [UUID(item["id"]) for item in done if item["kind"] == finder.kind]:
                finder.restore(relationship, ids, now=now)
        plan.state = MendingState.UNDONE
        _save(plan, "state")
    return plan


def drop_old_plans(now: datetime) -> int:
    """Plans that nobody carried out: they quote what was to go. How many."""
    old = MendingPlan.objects.filter(state=MendingState.PROPOSED, recorded_at__lt=now - KEPT)
    gone: int = old.delete()[0]
    return gone


def _save(plan: MendingPlan, *names: str) -> None:
    rows = MendingPlan.objects.for_relationship(plan.relationship_id).filter(id=plan.id)
    rows.update(**{name: getattr(plan, name) for name in names})
