from typing import Any

import pytest

from context.facts import MESSAGES_AT_FIRST, read_facts
from context.recall import Recall
from memory.embedders.questions import forget_questions
from memory.models import EntrySource, ScratchpadEntry
from memory.services.entries import add_entry
from relationships.configuration.schema import Configuration
from relationships.models import Relationship
from tests.fixtures.contexts import NOON, say
from tests.fixtures.turns import PERSON
from tests.wire import statements_sent


def recall_of(relationship: Relationship, message: str | None, **retrieval: Any) -> Recall:
    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session="current")
    configuration = Configuration.model_validate({"retrieval": retrieval})
    return Recall(facts, configuration, message, NOON)


def keep(relationship: Relationship, content: str, **values: Any) -> ScratchpadEntry:
    return add_entry(
        relationship=relationship,
        values={"content": content, "type": "other", "effective_at": NOON, **values},
        by=PERSON,
        source=EntrySource.API,
    )


def contents(recall: Recall, **asked: Any) -> list[str]:
    return [entry.line[2] for entry in recall.entries(**asked).entries]


def test_what_is_found_is_best_first_and_no_more_than_wanted(relationship: Relationship) -> None:
    for content in ("Has a dog, Rex, and a boat", "Plays the cello", "Sold the boat in Porto last May"):
        keep(relationship, content)

    found = recall_of(relationship, "Who bought the boat in Porto?", top_k=1).entries()

    assert [entry.line[2] for entry in found.entries] == ["Sold the boat in Porto last May"]
    assert found.reason.startswith("retrieved 1 by best (text alone) for the message; gate always")


def test_only_the_wanted_tiers_are_searched(relationship: Relationship) -> None:
    keep(relationship, "Has a boat")
    keep(relationship, "Sold a boat", tier="archive")

    assert contents(recall_of(relationship, "my old boat"), tiers=("archive",)) == ["Sold a boat"]
    assert sorted(contents(recall_of(relationship, "my old boat"))) == ["Has a boat", "Sold a boat"]


@pytest.mark.parametrize(
    ("retrieval", "message", "told"),
    [
        ({}, None, "nothing retrieved: there is no message"),
        ({"gate": {"open_on": ["never"]}}, "Where is my boat?", "nothing retrieved: never"),
        ({"ranker": "cosine"}, "Where is my boat?", "nothing retrieved: "),
    ],
    ids=["nothing to ask", "closed", "a ranker that needs an embedder"],
)
def test_where_nothing_is_searched_both_say_why(
    relationship: Relationship, retrieval: dict[str, Any], message: str | None, told: str
) -> None:
    keep(relationship, "Has a boat")
    recall = recall_of(relationship, message, **retrieval)

    entries, messages = recall.entries(), recall.messages()

    assert not entries.entries and not messages.messages
    assert entries.reason.startswith(told) and messages.reason == entries.reason


def test_a_gate_that_counts_turns_asks_only_in_a_long_session(relationship: Relationship) -> None:
    cadence = {"gate": {"open_on": ["cadence"], "turns": 7}}
    say(relationship, *["Hm"] * (MESSAGES_AT_FIRST - 1))
    statements, decisions = [], []

    for said in ((), ("Hm", "Hm")):  # 19 messages, then 21: each is a turn here
        say(relationship, *said)
        recall = recall_of(relationship, "Where is my boat?", **cadence)
        with statements_sent() as sent:
            decisions.append(recall.gate)
        statements.append(len(sent))

    assert statements == [0, 1]
    assert [decision.open for decision in decisions] == [False, True]
    assert decisions[1].reason == "cadence: turn 22, one of every 7"


def test_a_question_in_time_is_compared_by_its_vector_and_else_by_text(relationship: Relationship) -> None:
    forget_questions()
    keep(relationship, "Has a boat")

    found = recall_of(relationship, "Where is my boat?", embedder="offline").entries()

    # Nobody has embedded the entry yet: it is found all the same.
    assert [entry.line[2] for entry in found.entries] == ["Has a boat"]
    assert "(text alone)" in found.reason
