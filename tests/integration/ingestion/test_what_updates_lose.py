"""What an update leaves out of the old text is asked for once more, whichever strategy writes texts anew."""

import json
from typing import Any

import pytest

from memory.models import ModelCall
from relationships.models import TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.people import MORNING
from tests.fixtures.turns import Conversation, add, answer, operations_of, replacing, update

OLD, EARLIER, WHOLE = "Has a sister, Ana, in Porto", "Has a sister", "Has a sister, Ana, a nurse in Porto"


def memories(content: str) -> str:
    item = {"content": content, "type": "other", "entry": 1, "messages": [1], "score": 9, "confidence": 0.9}
    return json.dumps({"memories": [item]})


def facts() -> str:
    fact = {"content": "Ana is a nurse", "type": "other", "confidence": 0.9, "messages": [1]}
    return json.dumps({"facts": [fact]})


def decisions(content: str) -> str:
    return json.dumps({"decisions": [{"fact": 1, "op": "UPDATE", "entry": 1, "content": content}]})


STRATEGIES: dict[str, Any] = {
    "importance": ([], memories, "score left out"),
    "classifier": ([], memories, "classify left out"),
    "two_call": ([facts()], decisions, "decide left out"),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("mended", "remark"),
    [
        (WHOLE, "was sent back once for what it left out: Ana, Porto"),
        (EARLIER, "leaves out what the old text said, after it was sent back once: Ana, Porto"),
    ],
)
def test_names_that_an_update_leaves_out_are_asked_for_once(
    conversation: Conversation, scripted_provider: ScriptedProvider, strategy: str, mended: str, remark: str
) -> None:
    before, said, purpose = STRATEGIES[strategy]
    conversation.remember(OLD)
    scripted_provider.answer_with(*before, said(EARLIER), said(mended))

    turn = conversation.hear("My sister Ana is a nurse.", ingestion={"strategy": strategy})

    assert turn.state == TurnState.APPLIED
    assert conversation.contents == [mended]
    assert remark in operations_of(turn)[0]["reason"]
    complaint = scripted_provider.requests[-1].history[-1][1]
    assert "- entry 1: Ana; Porto" in complaint
    purposes = ModelCall.objects.for_relationship(turn.relationship_id).values_list("purpose", flat=True)
    assert purpose in purposes


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_type_that_there_is_not_is_asked_for_once(
    conversation: Conversation, scripted_provider: ScriptedProvider, strategy: str
) -> None:
    name = "facts" if strategy == "two_call" else "memories"
    fact = {"content": "Took up pottery", "messages": [1], "score": 9, "confidence": 0.9}
    scripted_provider.answer_with(
        *(json.dumps({name: [{**fact, "type": type}]}) for type in ("hobby", "other"))
    )

    turn = conversation.hear("I took up pottery.", ingestion={"strategy": strategy})

    assert conversation.contents == ["Took up pottery"]
    assert conversation.verdicts(turn) == [("applied", "its type was sent back once")]
    assert "- Took up pottery: type 'hobby' is none" in scripted_provider.requests[1].history[-1][1]


def test_entries_that_are_made_one_stay_one_where_one_of_them_is_sent_back(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a sister, Ana", "Has a sister in Porto")
    one, whole = "Has a sister in Porto, a nurse", "Has a sister, Ana, in Porto, a nurse"
    scripted_provider.answer_with(answer(update(1, one), update(2, one)), answer(update(1, whole)))

    turn = conversation.hear("My sister is a nurse.")

    assert conversation.contents == [whole]
    assert [verdict for verdict, _ in conversation.verdicts(turn)] == ["applied", "applied"]


def test_an_update_in_another_language_is_asked_for_in_that_of_the_entry(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Gets the sign wrong in every equation")
    english = "Gets the sign right in every equation since Easter"
    scripted_provider.answer_with(
        answer(update(1, "Macht seit Ostern keine Vorzeichenfehler mehr")), answer(update(1, english))
    )

    conversation.hear("Seit Ostern mache ich keine Vorzeichenfehler mehr.")

    assert "or are not in their language" in scripted_provider.requests[-1].history[-1][1]
    assert conversation.contents == [english]


def test_an_update_that_leaves_out_the_companions_own_name_is_not_sent_back(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Drove somewhere (Ada took it for Rome)")
    scripted_provider.answer_with(answer(update(1, "Drove to Rome")))

    conversation.hear("Yes, it was Rome!")

    assert conversation.contents == ["Drove to Rome"]
    assert len(scripted_provider.requests) == 1


@pytest.mark.parametrize(("fields", "asked"), [({}, 1), ({"happens_at": None}, 2)], ids=["stays", "cleared"])
def test_a_day_that_an_entry_keeps_beside_its_text_is_not_lost(
    conversation: Conversation, scripted_provider: ScriptedProvider, fields: dict[str, Any], asked: int
) -> None:
    scripted_provider.answer_with(
        answer(add("Went to Rome on 2026-03-01", type="event", happens_at="2026-03-01")),
        *[answer(update(1, "Went to Rome with a friend", reason="another day", **fields))] * 2,
    )

    conversation.hear("I went to Rome yesterday.")
    conversation.hear("A friend came along.")

    assert conversation.contents == ["Went to Rome with a friend"]
    assert len(scripted_provider.requests) == 1 + asked


@pytest.mark.parametrize(
    ("new", "happens", "expires"),
    [
        ("Works days on ward 9", None, False),
        ("Works nights until 2026-05", None, False),
        ("Works nights on ward 9 until 2026-04", None, True),
        ("Works nights on ward 9 until April", None, True),
        ("Works nights on ward 9", "2026-03/2026-04", True),
    ],
    ids=["no end", "another end", "the same end", "in other words", "beside the text"],
)
def test_an_expiry_goes_with_the_date_in_the_text_that_says_it(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    new: str,
    happens: str | None,
    expires: bool,
) -> None:
    old = add("Works nights until 2026-04", expires_at="2026-04", happens_at=happens)
    scripted_provider.answer_with(answer(old), *[answer(update(1, new, reason="moved"))] * 2)

    conversation.hear("I work nights until April.", at=MORNING)
    conversation.hear("They moved me to ward 9.", at=MORNING)

    assert [(entry.content, bool(entry.expires_at)) for entry in conversation.entries] == [(new, expires)]


@pytest.mark.parametrize(
    ("said", "changed", "heard", "asked"),
    [
        (
            "Per is in Denver from 2026-03-09",
            update(1, "Per is in Boulder from 2026-03-16, same client"),
            "Per's trip has moved to Boulder, on the 16th.",
            0,
        ),
        (
            "Takes 50 mg of sertraline again since 2026-03-20, as 75 mg made them dizzy; agreed with Dr. Ohara",
            replacing(1, "Off sertraline since 2026-05-14, with Dr. Ohara"),
            "I'm off sertraline for two weeks now, with Dr. Ohara.",
            0,
        ),
        (
            "Takes iron tablets since the operation",
            replacing(1, "Takes 50 mg since 2026-05"),
            "It's 50 mg now.",
            1,
        ),
    ],
    ids=["all that was said is contradicted", "its numbers have ended", "its words are lost"],
)
def test_what_has_another_in_its_place_is_none_of_the_words_that_are_lost(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    said: str,
    changed: dict[str, Any],
    heard: str,
    asked: int,
) -> None:
    subject = "Per" if said.startswith("Per") else "user"
    scripted_provider.answer_with(answer(add(said, subject=subject)), *[answer(changed)] * (1 + asked))

    conversation.hear("So it is.")
    conversation.hear(heard)

    assert len(scripted_provider.requests) == 2 + asked


def test_a_day_that_stays_beside_the_text_is_none_of_the_words_that_are_left(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """It would say that the car was bought then."""
    told = "Per, the husband, got up at two every morning; he died in 2019-11"
    scripted_provider.answer_with(
        answer(add(told, type="relationship", subject="Per", happens_at="2019-11")),
        *[answer(update(1, "Per bought the car", reason=""))] * 2,
    )

    conversation.hear("Per got up at two every morning. He died in November 2019.")
    conversation.hear("Per bought the car.")

    assert "died; 2019-11" in scripted_provider.requests[-1].history[-1][1]
    assert told in conversation.contents


@pytest.mark.parametrize("second", ["2026-03-01", "2026-02-03"], ids=["same day", "another day"])
def test_the_day_of_an_entry_that_another_takes_in_is_not_lost(
    conversation: Conversation, scripted_provider: ScriptedProvider, second: str
) -> None:
    both, whole = "Went to the opera with Ana", "Went to the opera with Ana, twice: also on 2026-02-03"
    scripted_provider.answer_with(
        answer(
            add("Went to the opera", type="event", happens_at="2026-03-01"),
            add("Went to the opera again", type="event", happens_at=second),
        ),
        answer(update(1, both), update(2, both)),
        answer(update(2, whole)),
    )

    conversation.hear("I was at the opera, and not for the first time.")
    conversation.hear("Each time with Ana.")

    assert [(entry.content, entry.happens_at) for entry in conversation.entries] == [
        (whole if second == "2026-02-03" else both, "2026-03-01")
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_update_that_loses_nothing_is_not_sent_back(
    conversation: Conversation, scripted_provider: ScriptedProvider, strategy: str
) -> None:
    before, said, _ = STRATEGIES[strategy]
    conversation.remember(OLD)
    scripted_provider.answer_with(*before, said(WHOLE))

    conversation.hear("My sister Ana is a nurse.", ingestion={"strategy": strategy})

    assert conversation.contents == [WHOLE]
    assert len(scripted_provider.requests) == len(before) + 1


def test_what_is_to_be_forgotten_is_not_asked_for_again(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Earns 18,000 a month; has savings of 139,000")
    wish = {"kind": "forget", "what": "how much I have saved", "messages": [1]}
    scripted_provider.answer_with(
        {**answer(update(1, "Earns 18,000 a month")), "wishes": [wish]},
        {"says": [{"number": 1, "rest": "Earns 18,000 a month"}], "unsure": []},
    )

    conversation.hear("I'd rather you didn't know what I have saved.")

    assert conversation.contents == ["Earns 18,000 a month"]
    assert not [request for request in scripted_provider.requests if request.history]
