from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from context.facts import MESSAGES_AT_FIRST, read_facts
from context.recall import ENTRIES, MESSAGES, Recall, read_rows
from memory.entries.adding import add_entry
from memory.models import EntrySource, EntryState, ScratchpadEntry, Tier
from memory.retrieval.index.embed import embed_owed
from providers.errors import ProviderTimeout
from relationships.configuration.schema import configuration_model
from relationships.ids import uuid7
from relationships.models import Relationship
from relationships.services.sessions import touch_session
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.contexts import NOON, hear, remember, say
from tests.fixtures.index import configure
from tests.fixtures.turns import PERSON
from tests.wire import statements_sent


def recall_of(relationship: Relationship, message: str | None, **retrieval: Any) -> Recall:
    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session="current")
    configuration = configuration_model().model_validate({"retrieval": retrieval})
    return Recall(facts, configuration, message, NOON, explain=True)


def keep(relationship: Relationship, content: str, **values: Any) -> ScratchpadEntry:
    return add_entry(
        relationship=relationship,
        values={"content": content, "type": "other", "effective_at": NOON, **values},
        by=PERSON,
        source=EntrySource.API,
    )


def contents(recall: Recall, **asked: Any) -> list[str]:
    return [entry.line[2] for entry in recall.entries(**asked).found]


def test_what_is_found_is_best_first_and_no_more_than_wanted(relationship: Relationship) -> None:
    for content in ("Has a dog, Rex, and a boat", "Plays the cello", "Sold the boat in Porto last May"):
        keep(relationship, content)

    found = recall_of(relationship, "Who bought the boat in Porto?", top_k=1).entries()

    assert [entry.line[2] for entry in found.found] == ["Sold the boat in Porto last May"]
    assert found.reason.startswith(
        "retrieved 1 for the message, ranked by best (text alone); retrieve when content: "
    )


SEEN = (
    "My favourite band is Blur",
    "My favourite band is Pulp",
    "The favourite band of her mother was Suede",
)
WEAKER = "The train was late again, so that we had no time left to look at the band in the park"


@pytest.mark.parametrize(
    ("retrieval", "found"),
    [
        ({"more_messages": 0}, 1),
        ({"more_messages": 1}, 2),
        ({}, 3),
        ({"top_messages": 4}, 4),
        ({"reranker": "model"}, 1),
    ],
    ids=["none", "one", "by default", "the weaker is found", "a reranker chooses"],
)
def test_more_messages_are_found_that_fit_nearly_as_well(
    relationship: Relationship, scripted_provider: ScriptedProvider, retrieval: dict[str, Any], found: int
) -> None:
    for session, said in zip("abcd", [*SEEN, WEAKER], strict=True):
        hear(relationship, said, session)

    wanted = {"top_messages": 1, **retrieval}
    messages = recall_of(relationship, "Which band is my favourite band?", **wanted).messages()

    assert len(messages.found) == found
    assert (WEAKER in [one.message.content for one in messages.found]) == (found == 4)


def test_only_the_wanted_tiers_are_searched(relationship: Relationship) -> None:
    keep(relationship, "Has a boat")
    keep(relationship, "Sold a boat", tier="archive")

    assert contents(recall_of(relationship, "my old boat"), tiers=("archive",)) == ["Sold a boat"]
    assert sorted(contents(recall_of(relationship, "my old boat"))) == ["Has a boat", "Sold a boat"]


def test_who_has_two_names_is_found_by_either_at_no_statement_more(relationship: Relationship) -> None:
    keep(relationship, "Colleague is Юлия (Yulia)")
    keep(relationship, "Yulia plays the cello")
    recall = recall_of(relationship, "What does Юлия play?")
    with statements_sent() as sent:
        assert "Yulia plays the cello" in contents(recall)
    assert len(sent) == 2


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
    say(relationship, "I have a boat")
    recall = recall_of(relationship, message, **retrieval)

    entries, messages = recall.entries(), recall.messages()

    assert not entries.found and not messages.found
    assert entries.reason.startswith(told) and messages.reason == entries.reason


def test_a_gate_that_counts_turns_asks_only_in_a_long_session(relationship: Relationship) -> None:
    cadence = {"gate": {"open_on": ["cadence"], "turns": 7}}
    say(relationship, *["Hm"] * (MESSAGES_AT_FIRST - 1))
    statements, decisions = [], []

    for said in ((), ("Hm", "Hm")):  # 19 messages, then 21: each is a turn here
        say(relationship, *said)
        came_in = MESSAGES_AT_FIRST + 1 if said else 0
        touch_session(relationship=relationship, session="current", at=NOON, idle_minutes=0, turns=came_in)
        recall = recall_of(relationship, "Where is my boat?", **cadence)
        with statements_sent() as sent:
            decisions.append(recall.gate)
        statements.append(len(sent))

    assert statements == [0, 1]
    assert [decision.open for decision in decisions] == [False, True]
    assert decisions[1].reason == "cadence: turn 22, one of every 7"


def test_turns_are_not_counted_where_another_gate_opens_first(relationship: Relationship) -> None:
    say(relationship, *["Hm"] * (MESSAGES_AT_FIRST + 1))
    either = {"gate": {"open_on": ["keywords", "cadence"], "keywords": ["boat"]}}
    recall = recall_of(relationship, "Where is my boat?", **either)

    with statements_sent() as sent:
        decision = recall.gate

    assert (decision.open, decision.reason, sent) == (True, 'keywords: keyword "boat"', [])


VECTORS = {"embedder": "default", "embed_messages": True}


@pytest.fixture
def wants_vectors(relationship: Relationship, scripted_embedder: ScriptedEmbedder) -> ScriptedEmbedder:
    """An embedder for entries and messages, asked for nothing yet."""
    configure(relationship, **VECTORS)
    return scripted_embedder


def test_a_question_is_embedded_once_however_many_layers_search(
    relationship: Relationship, wants_vectors: ScriptedEmbedder
) -> None:
    keep(relationship, "Has a boat")
    say(relationship, "I have a boat")
    embed_owed(relationship_id=relationship.id)
    recall = recall_of(relationship, "Where is my vessel?", **VECTORS)
    wants_vectors.asked.clear()

    entries, messages = recall.entries(), recall.messages()

    assert "with vectors" in entries.reason
    assert messages.reason.startswith("retrieved ")
    assert wants_vectors.asked == [("query", ["Where is my vessel?"])]


def test_where_no_vector_comes_in_time_the_text_serves_and_the_reason_says_so(
    relationship: Relationship, wants_vectors: ScriptedEmbedder
) -> None:
    keep(relationship, "Has a boat")
    say(relationship, "I have a boat")
    embed_owed(relationship_id=relationship.id)
    wants_vectors.answer_with(ProviderTimeout("too slow"))
    recall = recall_of(relationship, "Where is my boat?", **VECTORS)

    entries, messages = recall.entries(), recall.messages()

    assert [entry.line[2] for entry in entries.found] == ["Has a boat"]
    assert "(text alone)" in entries.reason and "did not come in time" in entries.reason
    assert "did not come in time" in messages.reason
    assert len([purpose for purpose, _ in wants_vectors.asked if purpose == "query"]) == 1


def test_what_nobody_has_embedded_yet_is_found_by_its_text(
    relationship: Relationship, wants_vectors: ScriptedEmbedder
) -> None:
    keep(relationship, "Has a boat")

    found = recall_of(relationship, "Where is my boat?", **VECTORS).entries()

    assert [entry.line[2] for entry in found.found] == ["Has a boat"]
    assert "(text alone)" in found.reason


DAY = timedelta(days=1)


def read(
    relationship: Relationship, statement: str, *ids: UUID, project_id: UUID | None = None
) -> Mapping[UUID, Sequence[Any]]:
    own = {"project_id": project_id or relationship.project_id, "relationship_id": relationship.id}
    return read_rows(statement, ids, **own, now=NOON)


def test_an_entry_is_a_line_as_in_the_snapshot_and_says_what_it_rests_on(relationship: Relationship) -> None:
    (message,) = say(relationship, "My boat is in Porto")
    entry = keep(relationship, "Has a boat", key="boat", pinned=True, tier=Tier.ARCHIVE)
    rests_on = {"source_message_ids": [message.id]}
    ScratchpadEntry.objects.for_relationship(relationship.id).filter(id=entry.id).update(**rests_on)
    recall = recall_of(relationship, "Where is my boat?")

    (found,) = recall.entries().found

    told = int(entry.effective_at.timestamp())
    assert found.line == [str(entry.id), "other", "Has a boat", {"key": "boat", "pinned": True}, told]
    assert found.reason.startswith("retrieved by best ")
    assert found.reason.endswith(f"; rests on message {message.id}")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({}, True),
        ({"state": EntryState.DELETED}, False),
        ({"expires_at": NOON}, False),
        ({"valid_to": NOON - DAY}, False),
        ({"valid_from": NOON + DAY}, False),
        ({"valid_from": NOON, "valid_to": NOON + DAY, "expires_at": NOON + DAY}, True),
    ],
    ids=["plain", "deleted", "expired, not swept yet", "over", "to come", "going on"],
)
def test_what_may_not_be_shown_now_is_not_read(
    relationship: Relationship, values: dict[str, Any], shown: bool
) -> None:
    (entry,) = remember(relationship, "Is on holiday", **values)

    assert set(read(relationship, ENTRIES, entry.id, uuid7())) == ({entry.id} if shown else set())


def test_neither_erased_messages_nor_another_projects_rows_are_read(relationship: Relationship) -> None:
    (entry,) = remember(relationship, "Prefers tea")
    (first,) = say(relationship, "Tea, please")
    (erased,) = say(relationship, "", erased_at=NOON)

    assert set(read(relationship, MESSAGES, first.id, erased.id)) == {first.id}
    assert read(relationship, ENTRIES, entry.id, project_id=uuid7()) == {}
    assert read(relationship, MESSAGES, first.id, project_id=uuid7()) == {}
