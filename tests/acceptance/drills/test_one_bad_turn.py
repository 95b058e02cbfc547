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


def test_it_alone_fails_and_the_others_are_applied_in_order(
    recipe: str, drilled: LiveService, model: OpenAIServer
) -> None:
    model.push({"blocked": "content_filter", "match": "poison", "always": True})
    places = (0, 3, TURNS - 1)
    people = drilled.new_relationships(len(places))
    told = [
        [
            drilled.say(person, "poison fact" if number == place else f"fact {number}")
            for number in range(TURNS)
        ]
        for place, person in zip(places, people, strict=True)
    ]
    drilled.start_worker()
    drilled.wait_until_settled([turn for turns in told for turn in turns])
    for place, person, turns in zip(places, people, told, strict=True):
        rows = drilled.turns(person)
        assert [row.state for row in rows] == [
            "failed" if number == place else "applied" for number in range(TURNS)
        ]
        assert (rows[place].error_code, rows[place].error != "") == ("content_blocked", True)
        require_once_in_order(person, [turn for turn in turns if turn is not turns[place]])

    model.clear()
    model.respond = lambda body: {"json": change_entries(question_in(body), facts=TURNS)}
    for place, person, turns in zip(places, people, told, strict=True):
        retry_turn(relationship_id=person.id, turn_id=turns[place].id)
    drilled.wait_until_settled([turns[place] for place, turns in zip(places, told, strict=True)])
    for place, person, turns in zip(places, people, told, strict=True):
        require_nothing_newer_changed(recipe, place, person, turns)


def require_nothing_newer_changed(
    recipe: str, place: int, relationship: Relationship, turns: Sequence[Turn]
) -> None:
    bad = Turn.objects.for_relationship(relationship.id).get(id=turns[place].id)
    assert bad.state == TurnState.APPLIED
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
