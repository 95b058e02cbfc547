"""Wishes in a relationship of a thousand other messages and 100 other entries, in the long form three times as many: nothing
of those goes, and what should go is found among them.

`pytest tests/labelled/test_forgetting_in_a_crowd.py -s -n 0` prints the rates by kind.
"""

import re
from collections import defaultdict
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from memory.mending.candidates import scope_of
from memory.mending.plans import draft_plan
from memory.models import EntryState, ScratchpadEntry
from providers.llm.base import CompletionRequest
from relationships.models import Companion, Message, Relationship
from tests.acceptance.drills.talk import scaled
from tests.fakes import ScriptedProvider
from tests.fixtures.people import meet
from tests.labelled.crowd import chat
from tests.labelled.forgetting import Outcome, has_words, look, tell, told_in_vain
from tests.labelled.forgetting_cases import Case, fresh_cases
from tests.labelled.test_forgetting import LEAST_GONE, WAYS

LEAST_REACHED = 0.94
_NUMBERED = re.compile(r"^\[(\d+)\] \([^)]*\) (.*)$", re.MULTILINE)


def crowded(companion: Companion, provider: str) -> Relationship:
    companion.config = {"ingestion": {"provider": provider}}
    companion.save()
    return Relationship.objects.select_related("companion", "project", "user").get(id=meet(companion).id)


def hidden_of(relationship: Relationship, before: int) -> list[str]:
    """What went of the crowd."""
    messages = Message.objects.for_relationship(relationship.id).filter(seq__lte=before)
    entries = ScratchpadEntry.objects.for_relationship(relationship.id).filter(content__endswith=")")
    gone = messages.exclude(hidden_at=None).values_list("content", flat=True)
    return [*gone, *entries.exclude(state=EntryState.ACTIVE).values_list("content", flat=True)]


@pytest.mark.drill
def test_what_is_asked_for_goes_and_nothing_of_the_crowd(companion: Companion) -> None:
    pair = crowded(companion, "offline")
    chat(pair)  # which takes longer than the cases: both ways meet the same crowd
    last = Message.objects.for_relationship(pair.id).order_by("-seq").values_list("seq", flat=True)[0]
    for place, way in enumerate(WAYS):
        asked = [case for case in fresh_cases("THIRD") if way in case.ways]
        chosen = asked[scaled(place, 0) :: scaled(len(WAYS), 1)]
        outcomes = [(case, among_the_crowd(pair, case, way, last)) for case in chosen]
        by_kind: dict[str, list[Outcome]] = defaultdict(list)
        for case, outcome in outcomes:
            by_kind[case.kind].append(outcome)
        print(f"\nno model, crowd, {way}: cases, gone, survived")
        for kind, found in by_kind.items():
            gone, kept = (sum(not told for told in part) for part in zip(*found, strict=True))
            print(f"{kind:12} {len(found):3} {gone / len(found):6.0%} {kept / len(found):6.0%}")
        print(*(f"left: {case.wish} {one.left}" for case, one in outcomes if one.left), sep="\n")
        assert {case.wish: one.lost[:3] for case, one in outcomes if one.lost} == {}, way
        assert sum(not one.left for _, one in outcomes) / len(outcomes) >= LEAST_GONE, way


def among_the_crowd(pair: Relationship, case: Case, way: str, last: int) -> Outcome:
    """In a transaction that is rolled back, so that a case leaves nothing to the next."""
    with transaction.atomic():
        tell(pair, case.facts)
        WAYS[way](pair, case)
        outcome = look(pair, case)
        lost = [*outcome.lost, *hidden_of(pair, last)]
        if case.again and not outcome.left:
            lost += told_in_vain(pair, case.again)
        transaction.set_rollback(True)
    return Outcome(outcome.left, lost)


def knows(case: Case, wanted: set[str], request: CompletionRequest) -> dict[str, Any]:
    """What a model says that knows the case: of what it is shown, and what stays of an entry that says more."""
    says: list[dict[str, Any]] = []
    for number, text in _NUMBERED.findall(request.prompt):
        if text in wanted:
            rests = [part for part in case.stays if part in text]
            says.append({"number": int(number), **({"rest": rests[0]} if rests else {})})
    return {"says": says, "unsure": []}


@pytest.mark.drill
def test_what_was_told_long_ago_reaches_the_model_that_judges(
    companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    """A thousand other texts came later, and it is shown 120. It is played by one that knows what each case means."""
    pair = crowded(companion, "scripted")
    asking = [case for case in fresh_cases("THIRD") if case.what]
    for case in asking:
        tell(pair, case.facts)
    chat(pair)
    left: dict[str, set[str]] = {}
    lost: dict[str, set[str]] = {}
    for case in asking:
        told = [text for fact in case.facts for text in (fact.entry, fact.said, fact.echo)]
        wanted = {text for text in told if any(has_words(text, word) for word in case.gone)}

        scripted_provider.wishes_answer = partial(knows, case, wanted)
        ticked = {one.text for one in draft_plan(scope_of(pair, case.what), verb="forget").ticked}
        left |= {case.what: wanted - ticked} if wanted - ticked else {}
        lost |= {case.what: ticked - wanted} if ticked - wanted else {}
    print(*(f"out of reach: {what} {texts}" for what, texts in left.items()), sep="\n")
    assert lost == {}
    assert 1 - len(left) / len(asking) >= LEAST_REACHED
