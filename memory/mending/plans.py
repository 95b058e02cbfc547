"""Make plans to forget or to correct. (execution.py carries them out and undoes them.)

A waiting plan quotes what it is about; one that was carried out has only IDs. A plan made by REST or in the admin UI is
deleted after an hour if nobody carries it out; one from a conversation waits until a person decides.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.errors import NothingFits, UnparsableAnswer
from memory.mending.candidates import Candidate, Scope, scope_of
from memory.mending.collecting import find_candidates
from memory.mending.echoes import tick_echoes
from memory.mending.judging import PERHAPS, Judgement, Verdict
from memory.mending.model_judgement import Judge, ask_model, model_of
from memory.mending.remainders import says_more, without
from memory.mending.wishes import Wish
from memory.model_calls import MadeCall, asking_for_a_request, erased_of, store_made_calls
from memory.models import MendingPlan, MendingState
from memory.words import Stems
from providers.errors import PermanentProviderError
from relationships.models import MessageRole, Relationship, Turn, TurnState
from relationships.services.sequence import lives_on, lock_relationship
from web.actor import Actor
from web.errors import NotFound

KEPT = timedelta(hours=1)  # how long a plan is kept if nobody carries it out
MOST_ITEMS = 500
# Messages that follow one another faster, without a reply, are one exchange, up to a length: where a program stores no
# replies, all that was said in an hour might be.
PAUSE, LONGEST_EXCHANGE = timedelta(minutes=2), timedelta(minutes=5)
MOST_LOOKED_AT = 5  # entries that a refusal shows
ASKS, HIDDEN = "asks for it", "is hidden already"


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan before it is stored. `asked`: the model call, if a model judged, and `asks`: whether it says that the
    message asks for something. `left_out`: how many texts were not read or not listed, as there are too many."""

    scope: Scope
    verb: str
    to: str
    found: list[Candidate]
    asked: MadeCall | None
    left_out: int = 0
    likeliest: Sequence[Candidate] = ()  # entries, whether they say it or not
    asks: bool = False

    @property
    def ticked(self) -> list[Candidate]:
        return [one for one in self.found if one.ticked]


def draft_plan(scope: Scope, *, verb: str, to: str = "", by_rules: bool = False) -> Draft:
    """Find and judge candidates. The scope's relationship was loaded with user, companion and project.

    If the companion has a model, it judges, so no transaction may be open. If it refuses, or its answer can't be
    parsed, rules judge. Raises TransientProviderError, BudgetSpent.
    """
    if not by_rules and (who := model_of(scope)) is not None:
        with suppress(UnparsableAnswer, PermanentProviderError):
            return _draft(scope, verb, to, who)
    return _draft(scope, verb, to, None)


def _draft(scope: Scope, verb: str, to: str, who: Judge | None) -> Draft:
    """Draft a plan, by rules if `who` is None. Raises what `ask_model` raises."""
    candidates, stems, unread = find_candidates(scope, by_meaning=who is not None)
    whole = scope.wish.everything or scope.wish.last
    # A correction changes entries only: messages stay, and the rest follows entries. What was true once isn't wrong.
    if verb == "correct":
        candidates = [one for one in candidates if one.kind == "entry" and not one.past]
    asked, asks = None, False
    if whole:
        _tick_whole(scope, candidates)
    elif who is None:
        _tick(scope.wish, candidates, stems)
    if scope.wish.last and scope.said:
        candidates = [one for one in candidates if one.ticked]
    if who is not None and candidates and (not whole or (scope.wish.last and scope.said)):
        asked, asks = ask_model(scope, candidates, verb=verb, to=to, who=who)
    if not whole and verb == "forget":
        going = [one for one in candidates if one.kind == "entry" and one.ticked]
        judged = asked.row.shown_message_ids if asked else ()
        unread = max(unread, tick_echoes(scope, candidates, going, judged=judged))  # mostly the same ones
    if verb == "correct":
        _correct(candidates, to, by_model=asked is not None)
    entries = [one for one in candidates if one.kind == "entry"]
    likeliest = sorted(entries, key=lambda one: -one.judgement.score)[:MOST_LOOKED_AT]
    told = _once_each(one for one in candidates if one.ticked or one.judgement.verdict != Verdict.NOT)
    told.sort(key=lambda one: (not one.ticked, -one.judgement.score, one.kind, one.seq))
    left_out = unread + len(told[MOST_ITEMS:])
    return Draft(scope, verb, to, told[:MOST_ITEMS], asked, left_out, likeliest, asks)


def _tick(wish: Wish, candidates: Sequence[Candidate], stems: Stems) -> None:
    """Tick what surely says it. An entry that says more keeps the rest; if it can't be divided, a person decides."""
    for one in candidates:
        if one.judgement.verdict != Verdict.SAYS:
            continue
        one.ticked = not one.fixed
        if one.kind == "entry" and not one.hidden:
            one.rest = without(wish, one.text, stems=stems)
            if one.rest is None and says_more(wish, one.text, stems=stems):
                one.ticked = False
                why = "says more than that"
                one.judgement = replace(one.judgement, verdict=Verdict.PERHAPS, why=why)


def _tick_whole(scope: Scope, candidates: Sequence[Candidate]) -> None:
    """Tick everything, or the last exchange with the entries that cite it."""
    why, chosen = "everything is to be forgotten", list(candidates)
    if scope.wish.last:
        messages = [one for one in candidates if one.kind == "message"]
        turns = _last_exchange(sorted(messages, key=lambda one: -one.seq), scope)
        exchange = {one.id for one in messages if one.turn_id in turns}
        why = "was said last"
        chosen = [one for one in candidates if one.kind in ("entry", "message")]
        chosen = [one for one in chosen if one.id in exchange or not exchange.isdisjoint(one.cites)]
    for one in chosen:
        one.ticked = not one.fixed
        one.judgement = Judgement(Verdict.SAYS, 1.0, one.text[:300], why)


def _last_exchange(messages: Sequence[Candidate], scope: Scope) -> set[UUID | None]:
    """The turns of the last exchange, of messages newest first: that of the person's last message and, if all was sent
    quickly and nobody has replied, those before it.
    """
    last = next((place for place, one in enumerate(messages) if one.role == MessageRole.USER), len(messages))
    turns = {one.turn_id for one in messages[last : last + 1]}
    if last > 0 or scope.asked_by is None:
        return turns
    asked_at = then = scope.asked_by.occurred_at
    for one in messages:
        at, by_asker = one.told_at, one.role == MessageRole.USER and scope.other(one.speaker) == scope.asker
        if at is None or not by_asker or abs(then - at) > PAUSE or abs(asked_at - at) > LONGEST_EXCHANGE:
            break
        turns.add(one.turn_id)
        then = at
    return turns


def _once_each(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Drop earlier versions of entries that go anyway."""
    kept: list[Candidate] = []
    going: set[UUID] = set()
    for one in sorted(candidates, key=lambda one: (not one.ticked, one.hidden)):
        if one.kind != "entry" or not (one.hidden and one.id in going):
            kept.append(one)
        if one.kind == "entry" and (one.ticked or one.hidden):
            going.add(one.id)
    return kept


def _correct(candidates: Sequence[Candidate], to: str, *, by_model: bool) -> None:
    """Set the new texts of the ticked entries: the correction, and the rest of what they say. If rules find several
    entries, a person must choose.
    """
    sure = [one for one in candidates if one.ticked]
    for one in candidates:
        one.ticked = one.ticked and (by_model or len(sure) == 1)
        if not (by_model and one.rest):
            one.rest = f"{one.rest.rstrip(' .')}. {to.strip()}" if one.rest else to.strip()


def make_plan(
    relationship: Relationship, *, verb: str, what: str, to: str = "", depth: str = "hide", by: Actor
) -> MendingPlan:
    """Draft and store a plan, for a request. Raises UpstreamFailed, Unavailable, BudgetSpent, NothingFits."""
    with asking_for_a_request():
        draft = draft_plan(scope_of(relationship, what, hidden=depth == "erase"), verb=verb, to=to)
    entries = (one for one in draft.found if one.kind == "entry")
    if verb == "correct" and not any(one.ticked or one.judgement.score >= PERHAPS for one in entries):
        looked_at = [
            {"id": str(one.id), "content": one.text[:300], "score": round(one.judgement.score, 2)}
            for one in draft.likeliest
        ]
        said = "No entry says this. Name the entry's own words, or add an entry."
        raise NothingFits(said, looked_at=looked_at)
    return store_plan(draft, depth=depth, by=by)


@transaction.atomic
def store_plan(draft: Draft, *, depth: str = "hide", by: Actor) -> MendingPlan:
    """Store a draft as a waiting plan, without what was erased meanwhile. Raises NotFound if all was."""
    relationship, asked_by = draft.scope.relationship, draft.scope.asked_by
    lock_relationship(relationship.id)
    if not lives_on(relationship.id, since=relationship.created_at):
        raise NotFound("This relationship was erased.")
    quoted = [one.id for one in draft.found if one.kind in ("entry", "message")]
    erased = erased_of(relationship.id, quoted) if quoted else set[UUID]()
    found = [one for one in draft.found if one.id not in erased]
    if draft.asked is not None:
        store_made_calls([draft.asked], now=timezone.now())
    plan = MendingPlan(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        verb=draft.verb,
        depth=depth,
        what=draft.scope.wish.text
        if found or depth == "hide"
        else "",  # nothing is left to do, and it says it
        to=draft.to,
        items=[_item(number, one) for number, one in enumerate(found, start=1)],
        left_out=draft.left_out,
        judged_by=draft.asked.row.model if draft.asked else "",
        turn_id=asked_by.turn_id if asked_by else None,
        actor_kind=by.kind,
        actor_id=by.id,
    )
    plan.save(force_insert=True)
    return plan


def _item(number: int, one: Candidate) -> dict[str, Any]:
    return {
        "number": number,
        "kind": one.kind,
        "id": str(one.id),
        "action": "edit" if one.rest is not None else "hide",
        "sentence": one.judgement.sentence or one.text[:300],
        "rest": one.rest,
        "score": round(one.judgement.score, 2),
        "why": one.judgement.why or one.fixed or (ASKS if one.asks else HIDDEN if one.hidden else ""),
        "ticked": one.ticked,
        "fixed": bool(one.fixed),
        "asks": one.asks,
        "hidden": one.hidden,
        "version": one.version,
        "role": one.role,
        "place": one.place,
    }


def plan_of(relationship_id: UUID, plan_id: UUID) -> MendingPlan:
    """Raises NotFound."""
    plan: MendingPlan | None = (
        MendingPlan.objects.for_relationship(relationship_id).filter(id=plan_id).first()
    )
    if plan is None:
        raise NotFound("This plan does not exist. A trial that nobody carries out is dropped after an hour.")
    return plan


def drop_old_plans(now: datetime) -> int:
    """Delete plans from REST and the admin UI that nobody carried out, as they quote texts. Return how many."""
    trials = MendingPlan.objects.filter(state=MendingState.PROPOSED, turn_id=None)
    gone: int = trials.filter(recorded_at__lt=now - KEPT).delete()[0]
    return gone


def awaiting_of_turns(relationship_id: UUID, turns: Iterable[Turn]) -> Mapping[UUID, list[UUID]]:
    """The plans from these turns that wait for a person. One statement; none if no turn was applied."""
    found: dict[UUID, list[UUID]] = defaultdict(list)
    if asked := [turn.id for turn in turns if turn.state == TurnState.APPLIED]:
        waiting = MendingPlan.objects.for_relationship(relationship_id).awaiting_review()
        for turn_id, plan_id in waiting.filter(turn_id__in=asked).order_by("id").values_list("turn_id", "id"):
            found[turn_id].append(plan_id)
    return found


def leave_plans(relationship_id: UUID, gone: Collection[UUID]) -> int:
    """Remove what is `gone` from plans, which quote it. Return how many plans were deleted.

    Plans of no conversation are deleted. Those that wait for a person keep their other entries and messages, without
    the wish's words, as long as there are any and the message that asks still exists.
    """
    proposed = MendingPlan.objects.for_relationship(relationship_id).filter(state=MendingState.PROPOSED)
    left = 0
    for plan in proposed:
        kept = [
            item
            for item in plan.items
            if item["kind"] in ("entry", "message") and UUID(item["id"]) not in gone
        ]
        asked = any(item["asks"] for item in plan.items)  # if not, the sure part has already hidden what asks
        waits = plan.turn_id is not None and {item["asks"] for item in kept} == {asked, False}
        if not waits:
            left += proposed.filter(id=plan.id).delete()[0]
        else:
            proposed.filter(id=plan.id).update(items=kept, what="")
    return left
