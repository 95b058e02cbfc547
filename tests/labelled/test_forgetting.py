"""How well wishes to forget are understood without a model: by API, and spoken, which the offline rules read.

`pytest tests/labelled/test_forgetting.py -s` prints the rates of each kind: what is gone whole, what survived whole.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import pytest
from django.db import transaction

from memory.mending.candidates import scope_of
from memory.mending.plans import draft_plan
from relationships.models import Companion, Relationship
from tests.acceptance.drills.talk import scaled
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation
from tests.labelled.forgetting import Outcome, by_api, by_conversation, look, tell, told_in_vain
from tests.labelled.forgetting_cases import FRESH, Case, cases, fresh_cases

WAYS: dict[str, Callable[[Relationship, Case], None]] = {"api": by_api, "conversation": by_conversation}
SETS: dict[str, Callable[[], Iterator[Case]]] = {
    "labelled": cases,
    "fresh": fresh_cases,
    "second": partial(fresh_cases, "SECOND"),
}
LEAST_GONE = 0.75  # of all cases, strictly
_NUMBERS = count()


def test_there_are_many_cases_of_every_kind() -> None:
    kinds: dict[str, set[str]] = defaultdict(set)
    for case in cases():
        kinds[case.kind].add(case.wish + "|".join(fact.entry for fact in case.facts))
    assert len(kinds) == 10 and sum(map(len, kinds.values())) >= 300
    assert min(map(len, kinds.values())) >= 20


def outcome_of(companion: Companion, case: Case, way: Callable[[Relationship, Case], None]) -> Outcome:
    """In a transaction that is rolled back, so that a case leaves nothing to the next."""
    person = meet(companion, f"{case.name}-{next(_NUMBERS)}")
    found = Relationship.objects.select_related("companion", "project", "user").get(id=person.id)
    with transaction.atomic():
        tell(found, case.facts)
        way(found, case)
        outcome = look(found, case)
        if case.again and not outcome.left:
            outcome = Outcome(outcome.left, [*outcome.lost, *told_in_vain(found, case.again)])
        transaction.set_rollback(True)
    return outcome


@pytest.mark.drill
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given", SETS)
def test_what_is_asked_for_goes_and_the_rest_survives(companion: Companion, way: str, given: str) -> None:
    companion.config = {"ingestion": {"provider": "offline"}}
    companion.save()
    chosen = [case for case in SETS[given]() if way in case.ways]
    chosen = chosen[:: scaled(5 if given == "labelled" else 3, 1)]
    outcomes = {case: outcome_of(companion, case, WAYS[way]) for case in chosen}
    by_kind: dict[str, list[tuple[Case, Outcome]]] = defaultdict(list)
    for case, outcome in outcomes.items():
        by_kind[case.kind].append((case, outcome))
    print(f"\nno model, {given}, {way}: cases, gone, survived")
    for kind, found in by_kind.items():
        erased = sum(not outcome.left for _, outcome in found)
        kept = sum(not outcome.lost for _, outcome in found)
        print(f"{kind:12} {len(found):3} {erased / len(found):6.0%} {kept / len(found):6.0%}")
    gone = sum(not outcome.left for outcome in outcomes.values()) / len(outcomes)
    print(f"{'all':12} {len(outcomes):3} {gone:6.1%}")
    lost = {case.name: (case.wish, outcome.lost) for case, outcome in outcomes.items() if outcome.lost}
    left = {case.name: (case.wish, outcome.left) for case, outcome in outcomes.items() if outcome.left}
    print(*(f"left: {name} {told}" for name, told in left.items()), sep="\n")
    print(*(f"lost: {name} {told}" for name, told in lost.items()), sep="\n")
    assert lost == {}
    assert gone >= LEAST_GONE


def test_a_correction_changes_the_right_entry_or_asks(companion: Companion) -> None:
    companion.config = {"ingestion": {"provider": "offline"}}
    companion.save()
    wrong, right, asked = [], 0, 0
    for number, row in enumerate(FRESH["CORRECTIONS"]):
        relationship = meet(companion, f"correction-{number}")
        Conversation(relationship).remember(*row["entries"])
        draft = draft_plan(scope_of(relationship, row["what"]), verb="correct", to=row["to"])
        ticked = [one.text for one in draft.ticked]
        meant = [] if row["right"] is None else [row["entries"][row["right"]]]
        if ticked and ticked != meant:
            wrong.append((row["what"], ticked))
        right += ticked == meant
        asked += not ticked and bool(meant) and meant[0] in [one.text for one in draft.found]
    print(f"corrections: {len(FRESH['CORRECTIONS'])}, right {right}, asks {asked}, wrong {len(wrong)}")
    assert wrong == []
