"""Wishes spoken in a conversation, reported by the model that reads the turns or found by rules. They are judged like
others, and carried out in the transaction that settles the turns, with the messages that asked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.entries.words import names_within
from memory.mending.candidates import Candidate, scope_of
from memory.mending.collecting import as_candidate
from memory.mending.echoes import having_any, tick_echoes, words_that_go
from memory.mending.execution import carry_out
from memory.mending.judging import NEIGHBOUR
from memory.mending.plans import Draft, draft_plan, store_plan
from memory.mending.wishes import read_wish, unkept_in, wish_in
from memory.models import USER_SUBJECT, MendingVerb, ScratchpadEntry
from relationships.models import Message, Relationship
from web.actor import Actor

MOST_WISHES = 10  # of one reading, for each of which as much is read as for one alone; more share that


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reported wish: which message asks, and for what, in words that can be understood without context."""

    message_id: UUID
    verb: str
    what: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """A wish, the message that asks, and what it would change."""

    message: Message
    draft: Draft

    @property
    def edited(self) -> set[UUID]:
        """The entries of which a part goes."""
        return {one.id for one in self.draft.ticked if one.rest is not None}

    @property
    def taken(self) -> set[UUID]:
        """The entries that surely say it."""
        return {one.id for one in self.draft.ticked if one.kind == "entry"}

    @property
    def hidden(self) -> set[UUID]:
        """The messages that surely say it, without the one that asks."""
        return {one.id for one in self.draft.ticked if one.kind == "message"}


def hear_wishes(
    relationship_id: UUID, messages: Mapping[UUID, str], reported: Sequence[Spoken] = ()
) -> list[Heard]:
    """Find and judge the wishes in what the person said: those `reported` by the reading model, and those that rules
    find in other messages. A wish to forget everything is left to the reading's own deletions, which may be held.

    A model may be called, so no transaction may be open. Raises TransientProviderError, BudgetSpent.
    """
    read = {wish.message_id for wish in reported}
    spoken = [wish for wish in reported if wish.message_id in messages]
    spoken += [
        Spoken(one, "forget", what)
        for one, said in messages.items()
        if one not in read and (what := wish_in(said)) is not None
    ]
    if not spoken:
        return []
    rows = Message.objects.for_relationship(relationship_id).filter(
        id__in=[wish.message_id for wish in spoken]
    )
    asking = {row.id: row for row in rows}
    pairs = Relationship.objects.select_related("companion", "project", "user")
    relationship = pairs.get(id=relationship_id)
    heard: list[Heard] = []
    share = min(1.0, MOST_WISHES / len(spoken))
    for wish in spoken:
        if (row := asking.get(wish.message_id)) is not None:
            # Nothing before the message need say it, so no model can tell whether it was asked for.
            sure = wish in reported or bool(wish.what and unkept_in(messages[wish.message_id]))
            what = _with_whom(wish.what, row)
            scope = scope_of(relationship, what, asked_by=row, reported=sure, share=share)
            draft = draft_plan(scope, verb=wish.verb, to=wish.to)
            if draft.scope.wish.everything:
                draft.found.clear()
            heard.append(Heard(row, draft))
    return sorted(heard, key=lambda one: one.message.seq)


def _with_whom(what: str, asking: Message) -> str:
    """A wish about "him" with the only name in its message that entries are about, as it may be in small letters."""
    if not read_wish(what).theirs:
        return what
    entries = ScratchpadEntry.objects.for_relationship(asking.relationship_id).active()
    about = entries.exclude(subject=USER_SUBJECT).values_list("subject", flat=True).distinct()
    named = [name for name, _ in names_within(asking.content, tuple(about))]
    return f"{what.removesuffix(' (them)')} ({named[0].title()})" if len(named) == 1 else what


def carry_out_heard(
    heard: Sequence[Heard],
    *,
    by: Actor,
    most: int,
    gone: Mapping[UUID, Collection[UUID]],
    now: datetime,
) -> None:
    """Carry out the wishes. Call it in the settling transaction, after the operations.

    `most`: how many entries may go without review; more wait for a person. What is unsure waits in a plan of its own,
    while what is sure is carried out. `gone`: entries that the operations of this reading deleted, with the messages
    they cite. If several were possible, the operations have chosen; and what they deleted for a wish belongs to its
    plan, to be undone or erased with it.
    """
    for wish in heard:
        draft, forgets = wish.draft, wish.draft.verb == MendingVerb.FORGET
        if forgets:
            draft = replace(draft, left_out=max(draft.left_out, _take_along(wish, gone)))
        entries = [one for one in draft.ticked if one.kind == "entry" and one.id not in gone]
        unsure = [one for one in draft.found if not one.ticked and not one.fixed]
        if not {one.id for one in unsure}.isdisjoint(gone):
            unsure = []
        waits = (bool(unsure) and not draft.ticked) or (forgets and len(entries) > most)
        # The model says so, or it found something; otherwise the rules misunderstood the message.
        if forgets and (draft.scope.reported or draft.asks or draft.found or not draft.asked):
            draft.found.extend(_asking(wish))
        plan = store_plan(draft, by=by)
        if waits:
            continue
        carry_out(plan, by=by, now=now, deleted=gone)
        if doubtful := [one for one in unsure if one.judgement.why != NEIGHBOUR]:
            store_plan(replace(draft, found=doubtful, asked=None), by=by)


def _take_along(wish: Heard, gone: Mapping[UUID, Collection[UUID]]) -> int:
    """Add to a wish what this batch deleted for it, and messages that repeat what the deleted entries said. Return how
    many messages were not read, as there are too many.
    """
    draft = wish.draft
    owned = ScratchpadEntry.objects.for_relationship(wish.message.relationship_id)
    deleted = [
        Candidate(
            "entry", row.id, row.content, cites=row.source_message_ids, version=row.version - 1, ticked=True
        )
        for row in owned.filter(id__in=list(gone))
    ]
    unread = tick_echoes(draft.scope, draft.found, deleted)
    asked_for = [one for one in deleted if wish.message.id in gone[one.id]]
    if asked_for:
        ids = {one.id for one in asked_for}
        draft.found[:] = [one for one in draft.found if one.id not in ids] + asked_for
    return unread


def _asking(wish: Heard) -> list[Candidate]:
    """The message that asked, and the companion's replies that repeat something of what is forgotten."""
    scope, asks = wish.draft.scope, wish.message
    owned = Message.objects.for_relationship(asks.relationship_id)
    rows = owned.filter(turn_id=asks.turn_id, seq__gte=asks.seq)
    said = [as_candidate(row) for row in rows.filter(erased_at=None, hidden_at=None).order_by("seq")]
    going = [one for one in wish.draft.ticked or wish.draft.found if one.kind == "entry"]
    replies = [one for one in said if one.role != "user"]
    repeats = having_any(scope, replies, words_that_go(scope, going)) if replies else []
    asking = [one for one in said if one.id == asks.id or one in repeats]
    for one in asking:
        one.ticked = one.asks = True
    return asking
