"""How well wishes to forget are understood without a model: by API, and spoken, which the offline rules read.

`pytest tests/labelled/test_forgetting.py -s` prints the rates of each kind: what is gone whole, what survived whole.
"""

from collections import defaultdict
from collections.abc import Callable
from itertools import count

import pytest
from django.db import transaction

from relationships.models import Companion, Relationship
from tests.fixtures.people import meet
from tests.labelled.forgetting import Outcome, by_api, by_conversation, look, tell
from tests.labelled.forgetting_cases import Case, cases

WAYS: dict[str, Callable[[Relationship, Case], None]] = {"api": by_api, "conversation": by_conversation}
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
        transaction.set_rollback(True)
    return outcome


@pytest.mark.parametrize("way", WAYS)
def test_what_is_asked_for_goes_and_the_rest_survives(companion: Companion, way: str) -> None:
    companion.config = {"ingestion": {"provider": "offline"}}
    companion.save()
    outcomes = {case: outcome_of(companion, case, WAYS[way]) for case in cases_by_name().values()}
    by_kind: dict[str, list[tuple[Case, Outcome]]] = defaultdict(list)
    for case, outcome in outcomes.items():
        by_kind[case.kind].append((case, outcome))
    print(f"\nno model, {way}: cases, gone, survived")
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


def cases_by_name() -> dict[str, Case]:
    return {case.name: case for case in cases()}
