from datetime import timedelta
from typing import Any

import pytest

from context.answer import AssembledContext, LayerReport
from context.pipeline import build_context
from memory.entries.access import flush_accesses
from memory.entries.editing import delete_entry
from memory.models import ScratchpadEntry
from relationships.models import Relationship, Snapshot
from tests.fixtures.contexts import NOON, added, hear, remember, say
from tests.fixtures.turns import PERSON
from tests.wire import statements_sent


def context_of(
    relationship: Relationship, message: str | None = "What now?", **asked: Any
) -> AssembledContext:
    return build_context(
        project_id=relationship.project_id, relationship_id=relationship.id, message=message, **asked
    )


def memory_of(assembled: AssembledContext) -> LayerReport:
    return next(report for report in assembled.layers if report.name == "memory")


def test_what_fits_the_message_is_found_in_the_archive_and_says_why(relationship: Relationship) -> None:
    remember(relationship, "Prefers tea")
    boat, *_ = added(relationship, "Sold the boat in Porto", "Plays the cello", "Has a cousin in Oslo")

    assembled = context_of(relationship, "What became of my boat?", explain=True)

    memory = memory_of(assembled)
    assert assembled.system.index("- Prefers tea") < assembled.system.index("- Sold the boat in Porto")
    assert "cello" not in assembled.system
    assert memory.reason.startswith(
        "whole scratchpad, newest first; retrieved 1 for the message, ranked by best (text alone)"
    )
    assert memory.reasons is not None
    assert memory.reasons[str(boat.id)].startswith("retrieved by best ")


def test_an_archive_costs_two_statements_more_whatever_is_in_it(relationship: Relationship) -> None:
    added(relationship, *[f"Sailed the boat number {place}" for place in range(40)])

    with statements_sent() as sent:
        assembled = context_of(relationship, "What became of my boat?")

    assert len(memory_of(assembled).sources) == 15
    assert len(sent) == 3


@pytest.mark.parametrize(
    ("message", "config", "told"),
    [
        (None, {}, "nothing retrieved: there is no message"),
        ("Haha yeah, thanks!", {}, "nothing retrieved: content: the message asks nothing"),
        ("My boat?", {"retrieval": {"gate": {"open_on": ["never"]}}}, "nothing retrieved: never"),
        (
            "My boat, where is it?",
            {"retrieval": {"gate": {"open_on": ["keywords", "gap"], "gap_seconds": 3e7}}},
            "nothing retrieved: keywords: ",
        ),
        ("My boat, where is it?", {"retrieval": {"ranker": "cosine"}}, "nothing retrieved: "),
    ],
    ids=["no message", "asks nothing", "never", "closed by its gates", "no embedder"],
)
def test_where_nothing_is_looked_up_one_statement_is_sent(
    relationship: Relationship, message: str | None, config: dict[str, Any], told: str
) -> None:
    added(relationship, "Sold the boat in Porto")
    say(relationship, "Hi")

    with statements_sent() as sent:
        assembled = context_of(relationship, message, config=config)

    assert memory_of(assembled).reason.startswith(told)
    assert "boat in Porto" not in assembled.system
    assert len(sent) == 1


def test_an_older_snapshot_that_does_not_say_is_looked_behind(relationship: Relationship) -> None:
    added(relationship, "Sold the boat in Porto")
    Snapshot.objects.for_relationship(relationship.id).update(has_archive=None)

    assert "Sold the boat" in context_of(relationship, "What became of my boat?").system


def test_what_was_retrieved_is_counted_behind_the_contexts_back(relationship: Relationship) -> None:
    remember(relationship, "Has a boat")
    boat, _ = added(relationship, "Sold the boat in Porto", "Plays the cello")

    with statements_sent() as sent:
        for record, stored in ((True, True), (False, True), (True, False)):
            config = {"retrieval": {"record_access": record}}
            later = NOON + timedelta(days=900)
            context_of(relationship, "And my boat?", config=config, now=later, stored=stored)
    flush_accesses()

    rows = ScratchpadEntry.objects.for_relationship(relationship.id)
    counts = dict(rows.values_list("content", "access_count"))
    assert len(sent) == 9
    assert counts == {"Has a boat": 0, "Sold the boat in Porto": 1, "Plays the cello": 0}
    assert rows.get(id=boat.id).last_accessed_at == NOON + timedelta(days=900)


def test_messages_that_fit_are_episodes_and_the_recent_are_not_said_twice(relationship: Relationship) -> None:
    old = hear(relationship, "I parked the car on floor three", session="january")
    hear(relationship, "Thinking of parked cars again")
    (car,) = added(relationship, "Parked the car")
    ScratchpadEntry.objects.for_relationship(relationship.id).filter(id=car.id).update(
        source_message_ids=[old]
    )

    assembled = context_of(
        relationship,
        "Where did I park the car?",
        explain=True,
        config={"context": {"order": ["memory", "episodes", "messages", "current"]}},
    )

    episodes = next(report for report in assembled.layers if report.name == "episodes")
    assert list(episodes.sources) == [str(old)]
    assert "Maya: I parked the car on floor three" in assembled.system
    assert episodes.reasons is not None and f"entry {car.id} rests on it" in episodes.reasons[str(old)]
    reasons = memory_of(assembled).reasons
    assert reasons is not None and f"rests on message {old}" in reasons[str(car.id)]


def test_what_was_forgotten_or_said_during_a_pause_is_no_episode(relationship: Relationship) -> None:
    ex = hear(relationship, "My ex is Rui, who left for Faro", session="january")
    hear(relationship, "Rui snores", session="january", ingestion={"enabled": False})
    kept = hear(relationship, "Faro has storks", session="january")
    (entry,) = added(relationship, "Has an ex, Rui")
    rows = ScratchpadEntry.objects.for_relationship(relationship.id).filter(id=entry.id)
    rows.update(source_message_ids=[ex])
    delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)

    assembled = context_of(
        relationship,
        "Is Rui still in Faro?",
        config={"context": {"order": ["memory", "episodes", "current"]}},
        explain=True,
    )

    episodes = next(report for report in assembled.layers if report.name == "episodes")
    assert list(episodes.sources) == [str(kept)]
    assert "Rui" not in assembled.system
