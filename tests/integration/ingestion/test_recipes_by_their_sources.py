"""Each recipe against the numbers and words of its source, a table a recipe, from the turn to the context.

The models stand behind real HTTP and say what a line of the table has them say.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from context.pipeline import build_context
from memory.ingestion.strategies.vocabulary import SHIPPED_KEYS
from memory.models import EntryState, ScratchpadEntry
from memory.retrieval.gates import GateRequest, decide_gate
from memory.retrieval.index.embed import embed_owed
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Companion
from tests.fixtures.turns import Conversation
from tests.integration.ingestion.conftest import Told

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def recipe(name: str) -> Configuration:
    return resolve_configuration(companion={"recipe": name}).values


def hear(told: Told, said: str, **lists: list[dict[str, Any]]) -> list[ScratchpadEntry]:
    """What is kept of a message to which the model answers with these lists."""
    told.server.respond = None
    told.server.push({"json": lists})
    told.conversation.hear(said)
    return told.conversation.entries


# Emotion Machine, first version: what is said, the model's score of it (None: it says nothing), what is kept.
IMPORTANCE = [
    ("My name is Ana.", None, 0.85),
    ("My name is Ana.", 1, 0.85),
    ("My name is Ana.", 10, 1.0),
    ("My goal is to run a marathon.", None, 0.75),
    ("Remind me to call Rui.", None, 0.75),
    ("Remind me to call Rui.", 2, 0.75),
    ("I can't eat gluten.", None, 0.65),
    ("I never drink coffee.", 3, 0.65),
    ("My favorite band is Madredeus.", None, 0.60),
    ("I love jazz.", 1, 0.60),
    ("The weather is a bit cold.", 2, None),
    ("The weather is a bit cold.", None, None),
    ("I bought a lamp.", 5.5, 0.55),
    ("I bought a lamp.", 5.4, None),
    ("My exam is on Friday.", 9, 0.9),
]


@pytest.mark.parametrize(("said", "score", "importance"), IMPORTANCE)
def test_importance_keeps_by_score_and_floor(
    told: Told, said: str, score: float | None, importance: float | None
) -> None:
    told.under("importance")
    memory = {"content": f"Said that {said}", "type": "other", "score": score, "messages": [1]}

    kept = hear(told, said, memories=[] if score is None else [memory])

    assert [entry.importance for entry in kept] == ([] if importance is None else [importance])
    if kept:
        assert said.rstrip(".").casefold() in kept[0].content.casefold()


def test_importance_says_the_rubric_to_the_model(told: Told) -> None:
    told.under("importance")
    hear(told, "I saw the lake.", memories=[])

    asked = str(told.server.script.requests[-1].as_json())
    for band in (
        "9-10 who",
        "commitments and deadlines",
        "7-9 strong preferences and goals",
        "who is in their life",
        "5-7 mild",
        "what happened to them",
        "1-4 small",
    ):
        assert band in asked


@pytest.mark.parametrize(
    ("message", "turns", "seconds", "opened"),
    [
        ("Do you remember the lake?", 1, 5, True),
        ("What is my name?", 1, 5, True),
        ("Do you know what I mean?", 1, 5, True),
        ("You said so last time, earlier.", 1, 5, False),
        ("Good evening.", 1, 5, False),
        ("Good evening.", 2, 5, True),
        ("Good evening.", 1, 30, True),
        ("Good evening.", 1, 29, False),
    ],
)
def test_importance_looks_back_when_the_published_gate_opens(
    message: str, turns: int, seconds: float, opened: bool
) -> None:
    last = NOON - timedelta(seconds=seconds)
    asked = GateRequest(message, recipe("importance").retrieval.gate, lambda: turns, last, NOON)

    assert decide_gate(asked.gate, asked).open == opened


def test_importance_ranks_by_the_published_numbers() -> None:
    retrieval = recipe("importance").retrieval

    assert (retrieval.candidates, retrieval.hourly_decay, retrieval.top_k) == (300, 0.995, 15)
    assert (retrieval.gate.keywords, retrieval.saliency_floor) == (
        ("remember", "my name", "do you know"),
        0.0,
    )


def test_importance_still_shows_what_was_told_four_weeks_ago(conversation: Conversation) -> None:
    Companion.objects.filter(id=conversation.relationship.companion_id).update(
        config={"recipe": "importance", "ingestion": {"provider": "offline"}}
    )
    conversation.hear("My goal is to run a marathon.", at=timezone.now() - timedelta(days=28))
    embed_owed(relationship_id=conversation.relationship.id)

    shown = build_context(
        project_id=conversation.relationship.project_id,
        relationship_id=conversation.relationship.id,
        message="Do you remember what I run for?",
    )

    assert "marathon" in shown.system


# Cereby: the category the model names, its confidence, whether it is kept, with the category's weight.
CLASSIFIER = [
    *((name, 0.7, True) for name in ("preference", "fact", "goal", "learningstyle", "schedule", "general")),
    ("fact", 0.69, False),
    ("identity", 0.9, False),
]


@pytest.mark.parametrize(("category", "confidence", "kept"), CLASSIFIER)
def test_classifier_keeps_six_categories_from_its_confidence(
    told: Told, category: str, confidence: float, kept: bool
) -> None:
    told.under("classifier")
    memory = {"content": "Majors in biology", "type": category, "confidence": confidence, "messages": [1]}

    entries = hear(told, "I major in biology.", memories=[memory])

    assert [entry.type for entry in entries] == ([category] if kept else [])


@pytest.mark.parametrize(
    "words",
    ["task requests", "greetings", "questions about the assistant", "temporary context", "learningstyle"],
)
def test_classifier_tells_the_model_what_is_never_kept(told: Told, words: str) -> None:
    told.under("classifier")
    hear(told, "I saw the lake.", memories=[])

    assert words in str(told.server.script.requests[-1].as_json())


def test_classifier_lets_only_a_schedule_expire_by_its_date(told: Told) -> None:
    told.under("classifier", classifier={"schedule_days": 36_500})
    common = {"confidence": 0.9, "happens_at": "2023-03-14", "messages": [1]}
    types = ("fact", "goal", "general", "schedule")

    entries = hear(
        told, "It was a day.", memories=[{"content": f"Is {t}", "type": t, **common} for t in types]
    )

    assert [entry.type for entry in entries if entry.expires_at is not None] == ["schedule"]


def test_classifier_keeps_a_schedule_that_became_something_else(told: Told) -> None:
    told.under("classifier", classifier={"schedule_days": 36_500})
    common = {"confidence": 0.9, "happens_at": "2023-03-14", "messages": [1]}
    exam = {"content": "Exam on 2023-03-14", "type": "schedule", **common}
    assert [entry.expires_at is None for entry in hear(told, "My exam!", memories=[exam])] == [False]

    passed = {"content": "Passed the exam of 2023-03-14", "type": "fact", "entry": 1, **common}
    [entry] = hear(told, "I passed.", memories=[passed])

    assert (entry.content, entry.expires_at) == (passed["content"], None)


def test_classifier_skips_by_the_published_cosine() -> None:
    assert recipe("classifier").ingestion.classifier.skip_above == 0.92


# Building AI agent memory: what was recorded under which key before, and then; what stands.
KEYED_FACTS = [
    ([("employer", "Acme")], [("employer", "Notion")], ["employer: Notion"]),
    ([("pet", "Rex, a dog")], [("pet", "Mia, a cat")], ["pet: Mia, a cat"]),
    ([("city", "Porto")], [("current_city", "Lisbon")], ["city: Lisbon"]),
    (
        [("employer", "Notion")],
        [("communication_style_preference", "concise answers")],
        ["communication_style_preference: concise answers", "employer: Notion"],
    ),
    ([("employer", "Notion")], [("shoe_size", "41")], ["employer: Notion"]),
]


@pytest.mark.parametrize(("before", "then", "stands"), KEYED_FACTS)
def test_keyed_facts_hold_one_value_a_key_embedded_with_it(
    told: Told, before: list[tuple[str, str]], then: list[tuple[str, str]], stands: list[str]
) -> None:
    told.under("keyed_facts")
    for said in (before, then):
        hear(told, "I tell you this.", memories=[recorded(key, value) for key, value in said])
    embed_owed(relationship_id=told.conversation.relationship.id)

    assert sorted(told.conversation.contents) == sorted(stands)
    assert set(stands) <= set(told.embedder.texts)
    left = {(f"{key}: {value}") for key, value in before} - set(stands)
    assert left == {
        entry.content for entry in ScratchpadEntry.objects.filter(state=EntryState.SUPERSEDED)
    }  # and can be restored


def recorded(key: str, value: str) -> dict[str, Any]:
    return {"type": "other", "key": key, "value": value, "confidence": 0.9, "messages": [1]}


def test_keyed_facts_are_shown_in_the_published_block(told: Told) -> None:
    told.under("keyed_facts")
    facts = [("communication_style_preference", "concise answers"), ("employer", "Notion")]
    hear(told, "I work at Notion.", memories=[recorded(key, value) for key, value in facts])
    relationship = told.conversation.relationship
    embed_owed(relationship_id=relationship.id)

    shown = build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message="Which employer, in concise words?",
    )

    assert (
        "<user_memory>\n## Known facts about this user\n- Notion (employer)\n"
        "## Preferences\n- concise answers (communication_style_preference)\n</user_memory>"
    ) in shown.system
    assert [key.name for key in SHIPPED_KEYS if not key.single_valued] == ["event"]
    assert recipe("keyed_facts").retrieval.ranker == "hybrid"


# Case.dev: the decision on a fact, by the number of the entry; what stands then.
TWO_CALL: list[tuple[dict[str, Any], list[str]]] = [
    ({"op": "ADD"}, ["Prefers email", "Prefers phone for urgent issues"]),
    (
        {"op": "UPDATE", "entry": 1, "content": "Prefers email, phone for urgent issues"},
        ["Prefers email, phone for urgent issues"],
    ),
    ({"op": "DELETE", "entry": 1}, ["Prefers phone for urgent issues"]),
    ({"op": "NONE", "entry": 1}, ["Prefers email"]),
]


@pytest.mark.parametrize(
    ("decision", "stands"), TWO_CALL, ids=[str(decision["op"]) for decision, _ in TWO_CALL]
)
def test_two_call_decides_on_each_fact_by_number(
    told: Told, decision: dict[str, Any], stands: list[str]
) -> None:
    told.under("two_call")
    fact = {"type": "preference", "confidence": 0.9, "messages": [1]}
    hear(told, "Mail me.", facts=[{**fact, "content": "Prefers email"}])
    told.server.push({"json": {"facts": [{**fact, "content": "Prefers phone for urgent issues"}]}})

    kept = hear(told, "Call if it's urgent.", decisions=[{"fact": 1, **decision}])

    assert sorted(entry.content for entry in kept) == sorted(stands)


def test_two_call_looks_at_twenty_and_shows_the_nearest() -> None:
    resolved = recipe("two_call")

    assert (resolved.ingestion.candidates.top_k, resolved.retrieval.ranker) == (20, "cosine")


def test_scratchpad_and_decay_keep_their_numbers() -> None:
    assert recipe("scratchpad").ingestion.strategy == "operations"
    assert recipe("scratchpad").ingestion.tier == "scratchpad"
    decay = recipe("decay")
    assert (decay.retrieval.ranker, decay.retrieval.half_life_days) == ("decay", 30)
    assert set(settings.RECIPES) == {
        "scratchpad",
        "importance",
        "two_call",
        "classifier",
        "keyed_facts",
        "decay",
    }
