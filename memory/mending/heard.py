"""A wish that is spoken in a conversation: reported by the model that reads the turns, or found by rules; judged as any
other, and carried out in the transaction that settles the turns, with the words that asked for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.errors import UnparsableAnswer
from memory.mending.candidates import Candidate, read_entries, read_messages, stems_of
from memory.mending.carrying import carry_out
from memory.mending.choosing import tick_echoes, words_that_go
from memory.mending.plans import Draft, draft_plan, store_plan
from memory.mending.wishes import wish_in
from memory.models import MendingVerb, ScratchpadEntry
from memory.words import is_in, spelt, words_of
from relationships.models import Message, Relationship
from web.actor import Actor


@dataclass(frozen=True, slots=True)
class Spoken:
    """A wish as it was reported: which message asks, and what for, in words that are understood by themselves."""

    message_id: UUID
    verb: str
    what: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """A wish, the message that asks, and what it would take."""

    message_id: UUID
    turn_id: UUID
    seq: int
    draft: Draft
    reported: bool = False  # by the model that read it; otherwise rules found it

    @property
    def edited(self) -> set[UUID]:
        """Entries of which a part goes."""
        return {one.id for one in self.draft.ticked if one.rest is not None}

    @property
    def taken(self) -> set[UUID]:
        """Entries that surely say it."""
        return {one.id for one in self.draft.ticked if one.kind == "entry"}


def hear_wishes(
    relationship_id: UUID, messages: Mapping[UUID, str], reported: Sequence[Spoken] = ()
) -> list[Heard]:
    """The wishes in what the person said, judged: those that the reading `reported`, and those that rules find in other
    messages. To forget everything is left to the reading itself, whose deletions may be held. A model may be asked: no
    transaction may be open. Raises ProviderError, BudgetSpent; an answer that can't be read is judged by rules.
    """
    told = {wish.message_id for wish in reported}
    spoken = [wish for wish in reported if wish.message_id in messages]
    spoken += [
        Spoken(one, "forget", what)
        for one, said in messages.items()
        if one not in told and (what := wish_in(said)) is not None
    ]
    if not spoken:
        return []
    rows = Message.objects.for_relationship(relationship_id).filter(
        id__in=[wish.message_id for wish in spoken]
    )
    asking = {row.id: row for row in rows}
    pairs = Relationship.objects.select_related("companion", "project", "user")
    relationship = pairs.get(id=relationship_id)
    heard = [
        Heard(row.id, row.turn_id, row.seq, _drafted(relationship, wish, row), wish in reported)
        for wish in spoken
        if (row := asking.get(wish.message_id)) is not None
    ]
    return sorted(heard, key=lambda one: one.seq)


def _drafted(relationship: Relationship, wish: Spoken, row: Message) -> Draft:
    try:
        draft = draft_plan(relationship, verb=wish.verb, what=wish.what, to=wish.to, asked_by=row)
    except UnparsableAnswer:
        draft = draft_plan(
            relationship, verb=wish.verb, what=wish.what, to=wish.to, by_rules=True, asked_by=row
        )
    if draft.scope.wish.everything:
        draft.found.clear()
    return draft


def carry_out_heard(
    relationship_id: UUID,
    heard: Sequence[Heard],
    *,
    by: Actor,
    most: int,
    gone: Sequence[UUID],
    now: datetime,
) -> None:
    """In the settling transaction, after the operations. `most`: entries that go at once without a person's word. More
    wait for one, and so does a wish of which nothing that was found is sure. `gone`: entries that the operations of
    this reading deleted.
    """
    for wish in heard:
        draft = wish.draft
        if draft.verb == MendingVerb.FORGET:
            _take_along(relationship_id, draft, gone)
        entries = [one for one in draft.ticked if one.kind == "entry" and one.id not in set(gone)]
        unsure = [one.id for one in draft.found if not one.fixed]
        doubtful = bool(unsure) and not draft.ticked and set(gone).isdisjoint(unsure)
        waits = doubtful or (draft.verb == MendingVerb.FORGET and len(entries) > most)
        if draft.verb == MendingVerb.FORGET and (wish.reported or draft.found or not draft.asked):
            draft.found.extend(
                _asking(relationship_id, wish)
            )  # else the rules took something else for a wish
        plan = store_plan(draft, depth="hide", by=by, turn_id=wish.turn_id)
        if not waits:
            carry_out(plan, by=by, now=now)


def _take_along(relationship_id: UUID, draft: Draft, gone: Sequence[UUID]) -> None:
    """Messages that repeat what an entry said which this reading deleted."""
    rows = list(ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=list(gone)))
    if not rows:
        return
    deleted = [
        Candidate("entry", row.id, row.content, cites=row.source_message_ids, ticked=True) for row in rows
    ]
    staying = [one for one in read_entries(draft.scope) if one.id not in set(gone)]
    messages = [one for one in read_messages(draft.scope) if one.id not in {had.id for had in draft.ticked}]
    stems = stems_of(relationship_id, [one.text for one in (*deleted, *staying, *messages)])
    tick_echoes(draft.scope, [*deleted, *staying, *messages], stems)
    known = {one.id: one for one in draft.found}
    for one in messages:
        if one.ticked and one.id in known:
            known[one.id].ticked = True
        elif one.ticked:
            draft.found.append(one)


def _asking(relationship_id: UUID, wish: Heard) -> list[Candidate]:
    """The words that asked, and what the companion said to them, where it repeats something of what is forgotten."""
    scope = wish.draft.scope
    rows = Message.objects.for_relationship(relationship_id).filter(turn_id=wish.turn_id, seq__gte=wish.seq)
    said = list(rows.filter(erased_at=None, hidden_at=None).order_by("seq"))
    replies = [row for row in said if row.role != "user"]
    going = [one for one in wish.draft.ticked or wish.draft.found if one.kind == "entry"]
    staying = [one.text for one in read_entries(scope) if one.id not in {gone.id for gone in going}]
    stems = stems_of(
        relationship_id,
        [scope.wish.text, *staying, *(one.text for one in going), *(row.content for row in replies)],
    )
    wanted = words_that_go(scope, going, staying, stems)
    return [
        Candidate("message", row.id, row.content, role=row.role, ticked=True, asks=True)
        for row in said
        if row.id == wish.message_id
        or (
            row in replies and any(is_in(word, spelt(words_of(row.content), stems), stems) for word in wanted)
        )
    ]
