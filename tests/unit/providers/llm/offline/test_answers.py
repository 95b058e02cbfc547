"""The answers to the questions of every strategy, in the shapes of their schemas."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ingestion.strategies.classifier import CLASSIFY_SCHEMA
from memory.ingestion.strategies.importance import SCORE_SCHEMA
from memory.ingestion.strategies.keyed_facts import record_schema
from memory.ingestion.strategies.two_call import DECIDE_SCHEMA, EXTRACT_SCHEMA
from memory.ingestion.strategies.vocabulary import SHIPPED_KEYS
from providers.llm.base import KnownKey, NumberedFact, Task
from providers.llm.offline.answers import ANSWERS
from tests.labelled.scratchpad import THURSDAY, TYPES, entry, known
from tests.labelled.strategies import ask, numbered

SCHEMAS = {
    "extract": EXTRACT_SCHEMA,
    "decide": DECIDE_SCHEMA,
    "score": SCORE_SCHEMA,
    "classify": CLASSIFY_SCHEMA,
    "record": record_schema(["city", "like"], TYPES),
}
SAID = "I moved to Faro and I love jazz. Forget that I like tea."
KNOWN = known(entry("Lives in Porto", "identity", key="city"), entry("Likes tea", "preference"))
KEYS = [KnownKey("city", "identity", "Lives in {value}", True), KnownKey("like", "preference")]
FACTS = [NumberedFact(1, "Lives in Faro", "identity", "user", messages=(1,))]
SHOWN = known(
    entry("Lives in Lisbon", "identity", key="city"), entry("Likes jazz", "preference"), entry("Likes tea")
)


def test_every_question_is_answered() -> None:
    assert {*ANSWERS, "agent", "curate"} == set(get_args(Task))  # an agent's steps have a script of their own


@pytest.mark.parametrize("task", SCHEMAS)
def test_an_answer_has_the_lists_and_fields_of_its_schema(task: Task) -> None:
    answer = ask(task, SAID, KNOWN, at=THURSDAY, facts=FACTS, keys=KEYS)

    lists = SCHEMAS[task]["properties"]
    assert set(SCHEMAS[task]["required"]) <= set(answer) <= set(lists)
    for name, items in answer.items():
        assert items, name
        for item in items:
            fields = lists[name]["items"]
            assert set(fields["required"]) <= set(item) <= set(fields["properties"])


@pytest.mark.parametrize("task", SCHEMAS)
@given(said=st.text(max_size=300), earlier=st.text(max_size=100))
@settings(max_examples=30, deadline=None)
def test_whatever_is_said_every_question_has_an_answer(task: Task, said: str, earlier: str) -> None:
    answer = ask(task, said, KNOWN, at=THURSDAY, facts=FACTS, keys=KEYS, earlier=[earlier, SAID])

    assert set(SCHEMAS[task]["required"]) <= set(answer)


def decide(said: str, *facts: NumberedFact) -> list[tuple[int, str, int | None, str]]:
    made = ask("decide", said, SHOWN, at=THURSDAY, facts=facts)["decisions"]
    return [(one["fact"], one["op"], one.get("entry"), one.get("content", "")) for one in made]


def fact(number: int, content: str, *, forget: bool = False, message: int = 1) -> NumberedFact:
    return NumberedFact(number, content, "other", "user", forget, (message,))


def test_an_extraction_sees_no_entries_and_keeps_the_day_of_a_fact() -> None:
    said = "I live in Lisbon. I no longer like jazz. I have a job interview tomorrow."
    facts = ask("extract", said, SHOWN, at=THURSDAY)["facts"]

    assert [one["content"] for one in facts][:2] == ["Lives in Lisbon", "No longer likes jazz"]
    assert (facts[0]["subject"], facts[2]["happens_at"]) == ("user", "2026-11-27")


def test_two_facts_of_a_message_each_have_their_own_decision() -> None:
    said = "I moved to Faro and I have a cat named Miu."
    facts = numbered(ask("extract", said, at=THURSDAY)["facts"])

    first, second = decide(said, *facts)

    assert first[1:3] == ("UPDATE", 1)
    assert "Faro" in first[3]
    assert second == (2, "ADD", None, "Has a cat named Miu")


@pytest.mark.parametrize(
    ("content", "forget", "decision"),
    [
        ("Likes jazz", False, (1, "NONE", 2, "")),
        ("Owns a boat", False, (1, "ADD", None, "Owns a boat")),
        ("owns a boat", True, (1, "NONE", None, "")),
    ],
)
def test_a_fact_that_changes_no_entry_is_known_or_new_and_a_wish_is_never_kept(
    content: str, forget: bool, decision: tuple[int, str, int | None, str]
) -> None:
    said = "I like jazz." if content == "Likes jazz" else "You know what I mean."
    assert decide(said, fact(1, content, forget=forget)) == [decision]


def test_a_facts_own_decision_comes_before_the_deletions_it_causes() -> None:
    shown = known(entry("Is moving to Faro soon", "goal"), entry("Lives in Lisbon", "identity", key="city"))
    said = "We moved to Faro yesterday!"
    facts = numbered(ask("extract", said, at=THURSDAY)["facts"])

    made = ask("decide", said, shown, at=THURSDAY, facts=facts)["decisions"]

    assert [(one["op"], one["entry"]) for one in made] == [("UPDATE", 2), ("DELETE", 1)]


def test_people_mentioned_a_little_earlier_are_known_by_name() -> None:
    said = "Ana lives in Faro."

    assert ask("extract", said, at=THURSDAY)["facts"] == []
    [fact] = ask("extract", said, at=THURSDAY, earlier=["I have a sister named Ana. Forget it."])["facts"]
    assert (fact["content"], fact["subject"]) == ("Ana lives in Faro", "Ana")


@pytest.mark.parametrize(
    ("content", "type", "score"),
    [
        ("I live in Faro.", "identity", 9),
        ("I want to run a marathon next year.", "goal", 8),
        ("I'm allergic to nuts.", "other", 7),
        ("I don't eat pork.", "preference", 7),
        ("I love jazz.", "preference", 6),
        ("I play the cello.", "other", 4),
    ],
)
def test_a_memory_is_as_important_as_its_pattern(content: str, type: str, score: int) -> None:
    [memory] = ask("score", content, at=THURSDAY)["memories"]
    assert (memory["type"], memory["score"]) == (type, score)


def test_a_restated_value_names_its_entry_and_an_ended_one_is_forgotten() -> None:
    shown = known(entry("Lives in Lisbon", "identity", key="city"), entry("Is moving to Faro soon", "goal"))

    answer = ask("classify", "We moved to Faro yesterday!", shown, at=THURSDAY)

    [memory] = answer["memories"]
    assert (memory["entry"], memory["type"], memory["confidence"]) == (1, "identity", 0.95)
    assert answer["forget"] == [{"entry": 2, "reason": "the move was made", "messages": [1]}]


SHIPPED = [KnownKey(key.name, key.type, key.says, key.single_valued) for key in SHIPPED_KEYS]
RECORDED: dict[str, list[tuple[str, str]]] = {
    "I live in Faro.": [("city", "Faro")],
    "My name is Maya.": [("name", "Maya")],
    "I'm 31 years old.": [("age", "31")],
    "I was born in Nairobi.": [("hometown", "Nairobi")],
    "I work as a nurse at St. Mary's.": [("occupation", "a nurse"), ("employer", "St. Mary's")],
    "I work at Feedzai.": [("employer", "Feedzai")],
    "I quit my job in May.": [("event", "Quit their job in May 2026")],
    "I'm retired.": [],
    "I have a sister named Ana.": [("sibling", "sister named Ana")],
    "We have two kids, Leo and Mia.": [("child", "two kids, Leo and Mia")],
    "I'm married to Rui.": [("partner", "married to Rui")],
    "I broke up with Tom.": [("event", "Broke up with Tom")],
    "I love jazz.": [("like", "jazz")],
    "I don't like coffee anymore.": [("dislike", "coffee")],
    "My favourite colour is green.": [("like", "green")],
    "I'm vegetarian.": [("diet", "vegetarian")],
    "I'm allergic to peanuts.": [("allergy", "peanuts")],
    "I have asthma.": [("health", "asthma")],
    "I speak Portuguese.": [("language", "Portuguese")],
    "I hope to buy a boat next year.": [("goal", "buy a boat in 2027")],
    "I'm learning Japanese.": [("goal", "be learning Japanese")],
    "I'm moving to Faro.": [("goal", "be moving to Faro")],
    "I have a job interview tomorrow.": [("event", "Has a job interview on 27 November 2026")],
    "My sister Ana loves opera.": [("sibling", "sister named Ana"), ("like", "opera")],
}


@pytest.mark.parametrize(("said", "recorded"), RECORDED.items(), ids=RECORDED)
def test_a_statement_is_the_value_of_a_key(said: str, recorded: list[tuple[str, str]]) -> None:
    memories = ask("record", said, at=THURSDAY, keys=SHIPPED)["memories"]
    assert [(memory["key"], memory["value"]) for memory in memories] == recorded


OWN = [
    KnownKey("city", "identity", "Lives in {value}", True),
    KnownKey("like", "preference", "Likes {value}"),
    KnownKey("pet", "relationship", "Pet: {value}"),
    KnownKey("instrument", "other", "Plays the {value}"),
]
HELD = known(
    entry("Lives in Lisbon", "identity", key="city"),
    entry("Pet: dog named Max", "relationship", key="pet"),
    entry("Likes jazz", "preference", key="like"),
)


@pytest.mark.parametrize(
    ("said", "recorded", "gone"),
    [
        ("I live in Faro now.", [("city", "Faro")], []),
        ("My dog's name is Rex, not Max.", [("pet", "dog named Rex", 2)], []),
        ("I have a dog named Max. I like jazz. I'm 30 years old.", [], []),
        ("I don't live in Lisbon anymore.", [], [1]),
        ("Please forget that I like jazz.", [], [3]),
        ("I play the cello.", [("instrument", "cello")], []),
    ],
)
def test_a_value_supersedes_by_its_key_or_takes_its_entry_away(
    said: str, recorded: list[tuple[str, ...]], gone: list[int]
) -> None:
    answer = ask("record", said, HELD, at=THURSDAY, keys=OWN)
    told = [
        [memory[name] for name in ("key", "value", "entry") if name in memory]
        for memory in answer["memories"]
    ]
    assert told == [list(one) for one in recorded]
    assert [one["entry"] for one in answer["forget"]] == gone


def test_a_value_that_still_holds_stays_beside_a_new_one() -> None:
    keys = [KnownKey("occupation", "identity"), KnownKey("employer", "identity")]
    shown = known(entry("Works as a nurse", "identity", key="occupation"))

    answer = ask("record", "I got a new job at Hospital da Luz!", shown, at=THURSDAY, keys=keys)

    assert [(one["key"], one["value"]) for one in answer["memories"]] == [("employer", "Hospital da Luz")]
    assert answer["forget"] == []
