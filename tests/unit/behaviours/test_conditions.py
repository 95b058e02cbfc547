"""Each condition, of a moment that a test made up."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError

from behaviours.conditions import holds
from behaviours.configuration import Behaviour, Behaviours, Condition, HappensCondition
from behaviours.dated_entries import DatedEntry, happening
from tests.growth import seconds


@dataclass
class GivenMoment:
    now: datetime = datetime(2026, 3, 2, 9, 0, 30, tzinfo=UTC)  # a Monday
    timezone: str = "Europe/Lisbon"
    message: str = "I am HUNGRY, ma chérie. Call +351 912 345 678."
    turn: int = 6
    is_first_of_session: bool = False
    is_first_ever: bool = False
    minutes_since: float | None = 90.0
    profile: dict[str, Any] = field(
        default_factory=lambda: {"plan": {"name": "pro", "seats": 3}, "pets": ["Rex", "Ada"], "paid": True}
    )
    state: dict[str, Any] = field(default_factory=lambda: {"mood": "low"})
    entries: list[dict[str, str]] = field(
        default_factory=lambda: [{"event": "added", "type": "goal", "content": "Wants a boat"}]
    )
    deletions_held: int = 2

    def happening(self, asked: HappensCondition) -> list[DatedEntry]:
        plan = DatedEntry(UUID(int=1), "event", "Has an interview", "2026-03-03", self.now)
        return happening([plan], asked, now=self.now, timezone=self.timezone)


def given_moment(**values: Any) -> Any:
    return GivenMoment(**values)


CASES: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"keywords": ["hungry"]}, True),
    ({"keywords": ["Ma Chérie"]}, True),
    ({"keywords": ["hung"]}, False),
    ({"keywords": ["dinner", "hungry"]}, True),
    ({"matches": r"\+351 \d{3}"}, True),
    ({"matches": "^hungry"}, False),
    ({"every_n_turns": 3}, True),
    ({"every_n_turns": 4}, False),
    ({"gap_minutes": 90}, True),
    ({"gap_minutes": 91}, False),
    ({"first_turn": "session"}, False),
    ({"value": {"path": "plan.name", "equals": "pro"}}, True),
    ({"value": {"path": "plan.name", "equals": "free"}}, False),
    ({"value": {"path": "plan.seats", "at_least": 3, "at_most": 3}}, True),
    ({"value": {"path": "plan.seats", "at_least": 4}}, False),
    ({"value": {"path": "pets.0", "contains": "Re"}}, True),
    ({"value": {"path": "pets", "contains": "Ada"}}, True),
    ({"value": {"path": "pets.2", "exists": True}}, False),
    ({"value": {"path": "plan.none", "exists": False}}, True),
    ({"value": {"path": "paid", "equals": 1}}, False),
    ({"value": {"path": "plan.seats", "equals": 3.0}}, True),
    ({"value": {"path": "paid", "at_least": 1}}, False),
    ({"value": {"of": "session", "path": "mood", "equals": "low"}}, True),
    ({"schedule": "0 9 * * 1-5"}, True),
    ({"schedule": "0 10 * * *"}, False),
    ({"schedule": "0 9 * * 0"}, False),
    ({"entry": {"types": ["goal"]}}, True),
    ({"entry": {"types": ["goal"], "event": "changed"}}, False),
    ({"entry": {"types": ["event"]}}, False),
    ({"happens": {"days": 1}}, True),
    ({"happens": {"days": 1, "types": ["goal"]}}, False),
    ({"happens": {}}, False),
    ({"deletions_held": 2}, True),
    ({"deletions_held": 3}, False),
    ({"not": {"keywords": ["hungry"]}}, False),
    ({"all": [{"keywords": ["hungry"]}, {"every_n_turns": 4}]}, False),
    ({"any": [{"keywords": ["thirsty"]}, {"every_n_turns": 3}]}, True),
    ({"keywords": ["hungry"], "every_n_turns": 4}, False),
    ({"any": [{"not": {"any": [{"gap_minutes": 1}]}}, {"all": [{"gap_minutes": 80}]}]}, True),
]


@pytest.mark.parametrize(("condition", "expected"), CASES, ids=[str(case[0]) for case in CASES])
def test_a_condition_holds_or_not(condition: dict[str, Any], expected: bool) -> None:
    assert holds(Condition.model_validate(condition), given_moment()) is expected


@pytest.mark.parametrize(
    ("keyword", "said", "expected"),
    [
        ("死にたい", "もう死にたいです。", True),
        ("ｷﾞﾀｰ", "ギターを弾く", True),
        ("想死", "我真的想死了", True),
        ("ฆ่าตัวตาย", "อยากฆ่าตัวตาย", True),
        ("자살", "자살하고 싶어", True),
        ("الانتحار", "أفكر بالانتحار", True),
        ("hungry 死", "hungry死", False),
        ("наш", "нашли", False),
        ("ดี", "ดีมาก", True),
        ("กิน", "ไปด้วยกันนะ", False),
        ("की", "कमल", False),
        ("क", "की", False),
        ("नमस्ते", "नमस्ते, दोस्त", True),
        ("سلام", "سَلام عليكم", True),
        ("שלום", "שָׁלוֹם", True),
    ],
)
def test_a_keyword_is_found_within_a_word_where_a_script_attaches_others_to_it(
    keyword: str, said: str, expected: bool
) -> None:
    assert holds(Condition(keywords=(keyword,)), given_moment(message=said)) is expected


@pytest.mark.parametrize(
    ("keyword", "said", "expected"),
    [
        ("istanbul", "İSTANBUL'dayım", True),
        ("İstanbul", "istanbul", True),
        ("hungry", "I am _hungry_", True),
        ("😢", "So sad 😢😢", True),
        ("❤️", "I ❤ you", True),
        ("👍", "👍🏽", True),
        ("😢", "So sad 😂", False),
        ("call me", "call 😀 me", False),
    ],
)
def test_a_keyword_is_found_whatever_its_case_and_may_be_a_symbol(
    keyword: str, said: str, expected: bool
) -> None:
    assert holds(Condition(keywords=(keyword,)), given_moment(message=said)) is expected


def test_nothing_was_said_before_so_there_is_no_gap() -> None:
    assert not holds(Condition(gap_minutes=0), given_moment(minutes_since=None))


def test_a_time_of_a_schedule_belongs_to_no_turn() -> None:
    assert not holds(Condition(every_n_turns=1), given_moment(turn=0))


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ({"matches": "(a"}, "RE2"),
        ({"matches": r"(a)\1"}, "RE2"),
        ({"schedule": "every day"}, "cron"),
        ({"schedule": "0 0 31 2 *"}, "cron"),
        ({"keywords": []}, "at least 1"),
        ({"keywords": ["hungry", "?!"]}, "neither a word nor a symbol"),
        ({"keywords": ["ﷺ" * 20]}, "longer than 250 letters"),
        ({"when": 3}, "not permitted"),
    ],
    ids=str,
)
def test_what_can_not_be_read_is_refused(condition: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Condition.model_validate(condition)


def test_a_pattern_that_ruins_others_is_linear_here() -> None:
    moment = given_moment(message="a" * 60_000 + "!")
    assert not holds(Condition(matches="(a*)*b$"), moment)


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        ({"text": "Hi"}, ""),
        ({"text": "Hi", "message": "Hi"}, "exactly one"),
        ({"enabled": False}, "exactly one"),
        ({"ask": {}}, "ask.prompt"),
        ({"prompt": {"prompt": "x"}}, "prompt.into"),
        ({"webhook": {}}, "webhook.url"),
        ({"text": "Hi", "when": {"any": [{"entry": {}}]}}, "before the turn is read"),
        ({"prompt": {"prompt": "x", "into": "entry"}, "when": {"schedule": "0 9 * * *"}}, "no turn"),
        ({"message": "Hi", "when": {"not": {"schedule": "0 9 * * *"}}}, "inside `not`"),
        ({"message": "Hi", "when": {"schedule": "0 * * * *", "not": {"schedule": "0 9 * * *"}}}, ""),
        ({"text": "Hi", "when": {"not": {"schedule": "0 9 * * *"}}}, ""),
    ],
    ids=str,
)
def test_an_incomplete_behaviour_says_what_is_missing(behaviour: dict[str, Any], fault: str) -> None:
    found = Behaviour.model_validate(behaviour).fault
    assert fault in found and bool(fault) == bool(found)


def nested(leaf: dict[str, Any], count: int) -> dict[str, Any]:
    """So many of a condition, one of which has to hold."""
    parts = [leaf] * count
    while len(parts) > 1:
        parts = [{"any": parts[place : place + 20]} for place in range(0, len(parts), 20)]
    return parts[0]


@pytest.mark.parametrize(
    ("leaf", "count", "what"),
    [
        ({"first_turn": "ever"}, 1000, "conditions"),
        ({"keywords": [f"word {n}" for n in range(100)]}, 51, "keywords"),
        ({"happens": {}}, 21, "conditions with `happens`"),
        ({"schedule": "0 0 */28 2 THU#5"}, 101, "conditions with `schedule`"),
        ({"value": {"path": "pets", "contains": "Rex"}}, 101, "conditions with `contains`"),
    ],
)
def test_more_than_can_be_asked_of_a_message_is_refused(leaf: dict[str, Any], count: int, what: str) -> None:
    with pytest.raises(ValidationError, match=f"have .* {what}"):
        Behaviour.model_validate({"when": nested(leaf, count), "text": "Hi"})


def test_patterns_that_are_large_together_are_refused_though_each_is_not() -> None:
    one = {f"b{n}": {"when": {"matches": f"(.{{0,100}}q){{0,9}}{n}z"}, "text": "Hi"} for n in range(2)}

    with pytest.raises(ValidationError, match="instructions of compiled patterns"):
        Behaviours.model_validate({"named": one})
    assert Behaviours.model_validate({"named": {"b0": one["b0"]}})


def test_many_keywords_are_looked_for_in_a_long_message_that_is_taken_apart_once() -> None:
    def asked(count: int, text: str) -> float:
        condition = Condition.model_validate(nested({"keywords": ["nowhere"]}, count))
        return seconds(lambda moment: holds(condition, moment), given_moment(message=text))

    once, often = asked(1, "word and " * 7000), asked(900, "word but " * 7000)

    assert often < 50 * once


# What stands nearly everywhere in a message, in a script with marks after its letters, and in one with spaces.
REPEATED = {
    "a letter with a mark": ("क", "की"),
    "many words": ("a " * 45 + "b", "a "),
    "many letters": ("一" * 50 + "b", "一"),
}


@pytest.mark.parametrize(("keyword", "said"), REPEATED.values(), ids=REPEATED)
def test_keywords_are_looked_for_in_time_that_does_not_grow_with_the_message(keyword: str, said: str) -> None:
    condition = Condition.model_validate({"keywords": [keyword] * 100})

    def look(text: str) -> None:
        moment = given_moment(message=text)
        holds(Condition(keywords=["nowhere"]), moment)  # takes the message apart
        for _ in range(10):
            assert not holds(condition, moment)

    def alone(text: str) -> None:
        holds(Condition(keywords=["nowhere"]), given_moment(message=text))

    text = said * 5000
    assert seconds(look, text) < 10 * seconds(alone, text + " x")
