"""One turn of a waiting batch is refused for good: it alone fails, and its late retry changes nothing newer."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

import pytest

from memory.ingestion.intake import retry_turn
from memory.models import EntryRevision, OperationResult
from relationships.models import Relationship, Turn, TurnState
from tests.acceptance.drills.answers import change_entries
from tests.acceptance.drills.questions import question_in
from tests.acceptance.drills.talk import require_once_in_order, scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer

pytestmark = pytest.mark.drill

TURNS = scaled(8, 20)  # no more than the entries that every recipe shows a model


@pytest.mark.parametrize("place", [0, 3, TURNS - 1], ids=["first", "middle", "last"])
def test_it_alone_fails_and_the_others_are_applied_in_order(
    place: int, recipe: str, drilled: LiveService, model: OpenAIServer
) -> None:
    model.push({"blocked": "content_filter", "match": "poison", "always": True})
    relationship = drilled.new_relationships(1)[0]
    turns = [
        drilled.say(relationship, "poison fact" if number == place else f"fact {number}")
        for number in range(TURNS)
    ]
    drilled.start_worker()

    states = drilled.wait_until_settled(turns)

    assert states == ["failed" if number == place else "applied" for number in range(TURNS)]
    bad, good = turns[place], [turn for turn in turns if turn is not turns[place]]
    failed = drilled.turns(relationship)[place]
    assert (failed.error_code, failed.error != "") == ("content_blocked", True)
    require_once_in_order(relationship, good)

    model.clear()
    model.respond = lambda body: {"json": change_entries(question_in(body), facts=TURNS)}
    retry_turn(relationship_id=relationship.id, turn_id=bad.id)
    drilled.wait_until_settled([bad])

    retried = drilled.turns(relationship)[place]
    assert retried.state == TurnState.APPLIED
    verdicts = Counter(
        judged.verdict for judged in OperationResult.objects.for_relationship(relationship.id).of_turn(bad.id)
    )
    newer = set(entries_of(relationship, turns[place + 1 :]))
    changed = EntryRevision.objects.for_relationship(relationship.id).filter(turn_id=bad.id)
    touched = set(changed.values_list("entry_id", flat=True))
    assert not touched & newer
    if recipe == "keyed_facts":  # it strikes entries out instead of rewriting them: so many wait for a person
        assert (len(touched), verdicts["held"]) == (0, TURNS - 1)
    else:
        assert len(touched) == place
        assert verdicts["refused"] >= len(newer)


def entries_of(relationship: Relationship, turns: Sequence[Turn]) -> list[UUID]:
    """The entries that these turns left."""
    revisions = EntryRevision.objects.for_relationship(relationship.id)
    return list(revisions.filter(turn_id__in=[turn.id for turn in turns]).values_list("entry_id", flat=True))
