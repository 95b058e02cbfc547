"""Messages that hold the words of an erased entry: which go with it, and which a person has to look at."""

from uuid import UUID

import pytest

from memory.entries.editing import revise_entry
from memory.words import LONGEST
from relationships.models import Message
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update
from tests.unit.upkeep.erasure.forgetting import ANA, NOTHING
from upkeep.erasure.entries import EntryErasure, erase_entry
from upkeep.erasure.remaining_messages import COMMON, MOST_LISTED, telling_words

VIENNA = "Lives in Vienna"


def erase(conversation: Conversation, content: str, **how: str) -> EntryErasure:
    entry = next(entry for entry in conversation.entries if entry.content == content)
    return erase_entry(relationship_id=entry.relationship_id, entry_id=entry.id, by=ANA, **how)  # type: ignore[arg-type]


def left(conversation: Conversation) -> list[str]:
    rows = Message.objects.for_relationship(conversation.relationship.id).order_by("seq")
    return [message.content for message in rows if message.erased_at is None]


def said(conversation: Conversation, ids: list[UUID]) -> list[str]:
    texts = dict(Message.objects.for_relationship(conversation.relationship.id).values_list("id", "content"))
    return [texts[message_id] for message_id in ids]


def test_an_echo_of_what_the_entry_said_before_goes_too(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(VIENNA)), answer(update(1, "Lives in Graz")))
    conversation.exchange("I live in Vienna.", "So you live in Vienna!")
    conversation.exchange("We moved to Graz.", "You live in Graz now, I see.")

    erase(conversation, "Lives in Graz")

    assert left(conversation) == []


def test_the_same_words_in_another_exchange_are_for_a_person_to_decide_about(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add(VIENNA)), NOTHING, NOTHING)
    conversation.exchange("I live in Vienna.", "Lovely.")
    conversation.exchange("My aunt lives in Vienna as well.", "Vienna it is.")
    conversation.exchange("It rains.", "Bring an umbrella.")

    erased = erase(conversation, VIENNA)

    assert [(sorted(held.words), held.role) for held in erased.holding.listed] == [
        (["lives", "vienna"], "user"),
        (["vienna"], "assistant"),
    ]
    assert (erased.holding.total, erased.holding.common) == (2, ())
    assert "Lovely." in left(conversation)


def test_what_was_written_by_hand_has_no_exchange_and_only_lists(conversation: Conversation) -> None:
    conversation.say("My order is ORD-17.", "No, ORD-170.")
    conversation.remember("Waits for order ORD-17")

    erased = erase(conversation, "Waits for order ORD-17")

    assert erased.redacted == ()
    [holding] = erased.holding.listed
    assert said(conversation, [holding.id]) == ["My order is ORD-17."]
    assert holding.words == {"order", "ord-17"}


def test_memory_that_was_put_into_a_message_is_found_there(conversation: Conversation) -> None:
    """Search does not read what is fenced; a dump would show it all the same."""
    conversation.say(f"<rapport_memory>\n- {VIENNA}\n</rapport_memory>\nHello!")
    conversation.remember(VIENNA)

    assert erase(conversation, VIENNA).holding.total == 1


def test_a_word_that_is_everywhere_lists_nothing_by_itself_and_is_told(conversation: Conversation) -> None:
    for number in range(COMMON + 1):
        conversation.say(f"I like number {number}.")
    conversation.say("Hiking!")
    conversation.remember("Likes hiking")

    erased = erase(conversation, "Likes hiking")

    assert said(conversation, [held.id for held in erased.holding.listed]) == ["Hiking!"]
    assert erased.holding.common == ("likes",)


@pytest.mark.parametrize("content", ["Likes Vienna", "likes"])
def test_a_name_and_an_only_word_are_never_too_common(conversation: Conversation, content: str) -> None:
    for _ in range(COMMON + 1):
        conversation.say("I like Vienna.")
    conversation.remember(content)

    assert erase(conversation, content).holding.total == COMMON + 1


def test_the_list_is_bounded_and_says_how_many_there_are(conversation: Conversation) -> None:
    for _ in range(MOST_LISTED // 50 + 1):
        conversation.say(*["Vienna!"] * 50)
    turn = conversation.say("Vienna, where I live.")
    message = Message.objects.for_relationship(turn.relationship_id).filter(turn_id=turn.id).get()
    conversation.remember(VIENNA)

    holding = erase(conversation, VIENNA).holding

    assert (len(holding.listed), holding.total) == (MOST_LISTED, MOST_LISTED + 51)
    assert holding.listed[0].id == message.id  # it says all of it


def test_an_entry_without_a_word_of_its_own_finds_nothing(conversation: Conversation) -> None:
    conversation.say("Is it you?")
    conversation.remember("It is you")

    assert erase(conversation, "It is you").holding.total == 0


def test_endings_are_those_of_the_configured_language(conversation: Conversation) -> None:
    relationship = conversation.relationship
    type(relationship).objects.filter(id=relationship.id).update(config={"retrieval": {"language": "german"}})
    conversation.say("Wir wohnten in Wien.", "Und mit ihrer Frau?")
    conversation.remember("Wohnt in Wien mit ihrer Frau")

    listed = erase(conversation, "Wohnt in Wien mit ihrer Frau").holding.listed

    assert [sorted(holding.words) for holding in listed] == [["wien", "wohnt"], ["frau"]]


def test_what_was_revised_by_hand_is_looked_for_in_all_its_versions(conversation: Conversation) -> None:
    conversation.say("Vienna.", "Graz.")
    [entry] = conversation.remember(VIENNA)
    revise_entry(
        relationship_id=entry.relationship_id, entry_id=entry.id, values={"content": "Lives in Graz"}, by=ANA
    )

    assert erase(conversation, "Lives in Graz").holding.total == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Likes Zürich", "ZURICH!"),
        ("Likes Zurich", "In Zürich ist es laut"),
        ("Sells ﬁgs", "Fresh FIGS"),
        ("Große Straße", "STRASSE"),
        ("Waits for ORD-17", "Where is ORD\u201117?"),
        ("Waits for ORD\u201117", "Where is ord 17?"),
        ("Phone is 020-7946-0018", "Ring +44 20 7946 0018."),
        ("Owns shop_50%", "My SHOP_50% is open"),
        ("Knows Jo-Anne", "jo anne sings"),
        ("Sails from Gdańsk to Malmø", "MALMO is far"),
        ("Writes to eva@firm.org", "(Eva@firm.org)"),
        ("Works in Vienna-Neubau", "Neubau it is"),
        ("Likes Vienna", "Where is Vienna-2026?"),
        ("Likes Vienna", "...so " * 10_000 + "Vienna"),
        ("Likes Vienna", "." * (LONGEST - 3) + "Vienna"),  # where it is cut into pieces
        ("Живёт в Вене", "ВЕНЕ привет"),
        ("ウィーン", "私はウィーンに住んでいます"),
    ],
)
def test_words_are_found_in_any_spelling(content: str, message: str, conversation: Conversation) -> None:
    others = ("Nothing of that.", "ORD-170, XORD-17", "eva@firm.org.br", "Viennese", "😀!", "ワルシャワ")
    conversation.say(message, *others)
    conversation.remember(content)

    assert erase(conversation, content).holding.total == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Lives in Vienna", {"lives", "vienna"}),
        ("Maya lives in Vienna", {"lives", "vienna"}),
        ("Called Maya", {"called", "maya"}),  # without her name it would be any call
        ("Maya is 17", {"17"}),
        ("in", set()),
    ],
)
def test_stop_words_do_not_count_nor_do_those_it_may_be_told_of(content: str, words: set[str]) -> None:
    stems = {word: [word] for word in ("lives", "vienna", "maya", "called")}

    assert telling_words(content, stems=stems, people=["Maya"]).keys() == words
