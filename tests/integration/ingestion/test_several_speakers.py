"""What another says on the person's account is theirs, whomever a model takes it to be about."""

import pytest

from memory.models import ScratchpadEntry
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update


@pytest.mark.parametrize(
    ("content", "subject", "key"),
    [("Is allergic to wool", "user", None), ("Is twelve", "Maya", "age"), ("Is allergic to wool", "", None)],
)
def test_what_another_says_on_the_same_account_is_kept_as_theirs(
    conversation: Conversation, scripted_provider: ScriptedProvider, content: str, subject: str, key: str
) -> None:
    scripted_provider.answer_with(answer(add(content, subject=subject, key=key)))

    conversation.hear("I'm allergic to wool, and twelve.", speaker="Leo")

    assert [(entry.subject, entry.content, entry.key) for entry in conversation.entries] == [
        ("Leo", f"Leo: {content}", None)
    ]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I moved to Oslo.", ["Leo: Lives in Oslo", "Lives in Porto"]),
        ("Maya moved to Oslo.", ["Lives in Oslo"]),
    ],
)
@pytest.mark.parametrize("op", ["update", "replace"])
def test_what_another_says_of_themselves_changes_no_entry_about_the_person(
    conversation: Conversation, scripted_provider: ScriptedProvider, said: str, kept: list[str], op: str
) -> None:
    conversation.remember("Lives in Porto")
    scripted_provider.answer_with(answer(update(1, "Lives in Oslo") | {"op": op}))

    conversation.hear(said, speaker="Leo")

    assert sorted(conversation.contents) == kept


def test_who_alone_speaks_is_the_person_if_no_name_is_known(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    user = conversation.relationship.user
    user.display_name = ""
    user.save()
    scripted_provider.answer_with(answer(add("Is allergic to wool", subject="Sam")))

    conversation.hear("I'm allergic to wool.", speaker="Sam")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [
        ("user", "Is allergic to wool")
    ]


@pytest.mark.parametrize(
    ("chat", "kept"),
    [
        (
            "look:\n[3:02 PM] Luis: im allergic to wool lol\n[3:03 PM] me: no wayyy",
            "Luis: Is allergic to wool",
        ),
        ("Luis: no wool 4 me im allergic\nAna: lol\nLuis: ugh", "Luis: Is allergic to wool"),
        ("24.07.26, 15:02 - Luis: allergic to wool", "Luis: Is allergic to wool"),
        ("Luis: im allergic to wool\nme: omg im allergic too", "Is allergic to wool"),
        ("Luis: u r allergic to wool right\nme: yes", "Is allergic to wool"),
        ("Luis: hi\nAna: hey\nLuis: bye\nI'm allergic to wool by the way", "Is allergic to wool"),
        ("Food: no nuts\nClothes: I am allergic to wool", "Is allergic to wool"),
        ("Allergic: wool\nAllergic: nuts\nDiet: vegan", "Is allergic to wool"),
        ("09:00 Doctor: allergic to wool\n12:00 Lunch: soup", "Is allergic to wool"),
    ],
)
def test_what_another_says_in_a_pasted_chat_is_kept_as_theirs(
    conversation: Conversation, scripted_provider: ScriptedProvider, chat: str, kept: str
) -> None:
    scripted_provider.answer_with(answer(add("Is allergic to wool")))

    conversation.hear(chat)

    assert conversation.contents == [kept]


@pytest.mark.parametrize("content", ["Maya snores", "Has a son, Leo, who is allergic to wool"])
def test_what_another_says_by_name_is_kept_as_it_is(
    conversation: Conversation, scripted_provider: ScriptedProvider, content: str
) -> None:
    scripted_provider.answer_with(answer(add(content, subject="user")))

    conversation.hear("My mother snores, and I'm allergic to wool.", speaker="Leo")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [("user", content)]


@pytest.mark.parametrize(
    ("name", "speaker"),
    [
        ("Maya", "user"),  # a role's name, which some clients give every message
        ("Maya", "The User"),
        ("Maya", "ma\u200bYA"),
        ("Jos\u00e9", "Jose\u0301"),
        ("", "user"),
    ],
)
def test_the_person_is_known_by_any_spelling_and_by_the_role(
    conversation: Conversation, scripted_provider: ScriptedProvider, name: str, speaker: str
) -> None:
    user = conversation.relationship.user
    user.display_name = name
    user.save()
    conversation.remember("Lives in Porto")
    scripted_provider.answer_with(answer(update(1, "Lives in Oslo"), add("Is twelve", key="age")))

    conversation.hear("I moved to Oslo, and I'm twelve.", speaker=speaker)

    assert sorted((entry.subject, entry.content, entry.key) for entry in conversation.entries) == [
        ("user", "Is twelve", "age"),
        ("user", "Lives in Oslo", None),
    ]


@pytest.mark.parametrize(
    ("subject", "content"), [("Maya", "Maya is twelve"), ("The dog", "The user is twelve")]
)
def test_a_fact_that_begins_with_the_persons_name_or_an_article_keeps_its_key(
    conversation: Conversation, scripted_provider: ScriptedProvider, subject: str, content: str
) -> None:
    dog, _ = conversation.remember("Has a dog", "Lives in Porto")
    ScratchpadEntry.objects.filter(id=dog.id).update(subject=subject)  # a name, as earlier versions kept it
    scripted_provider.answer_with(answer(add(content, key="age")))

    conversation.hear("I'm twelve.")

    assert [entry.key for entry in conversation.entries if entry.content == content] == ["age"]


@pytest.mark.parametrize("subject", [None, "Leo"])
def test_an_update_of_anothers_words_stays_theirs_and_is_not_sent_back(
    conversation: Conversation, scripted_provider: ScriptedProvider, subject: str | None
) -> None:
    scripted_provider.answer_with(answer(add("Likes tea", subject="user")))
    conversation.hear("I like tea.", speaker="Leo")
    scripted_provider.answer_with(answer(update(1, "Likes green tea", subject=subject)))

    conversation.hear("I like green tea.", speaker="Leo")

    assert [(entry.subject, entry.content) for entry in conversation.entries] == [
        ("Leo", "Leo: Likes green tea")
    ]
    assert len(scripted_provider.requests) == 2


def test_a_capital_after_a_speakers_name_makes_no_name(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Drinks tea", subject="user")))
    conversation.hear("I drink tea.", speaker="Leo")
    scripted_provider.answer_with(answer(update(1, "Leo only likes green tea")))

    conversation.hear("I only like green tea.", speaker="Leo")

    assert conversation.contents == ["Leo only likes green tea"]
    assert len(scripted_provider.requests) == 2
