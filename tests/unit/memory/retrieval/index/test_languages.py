import pytest

from memory.models import SearchText
from memory.retrieval.index.language import language_of, looks_again
from relationships.models import Relationship
from tests.fixtures.contexts import added, hear
from tests.fixtures.turns import Conversation
from tests.wire import statements_sent

GERMAN = [
    "Ich wohne seit drei Jahren in Lissabon und arbeite als Krankenschwester.",
    "Am Wochenende gehe ich gerne mit meinem Hund am Strand spazieren.",
]
ENGLISH = [
    "I have been living in Lisbon for three years and work as a nurse.",
    "At the weekend I like to walk my dog along the beach.",
]


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (GERMAN, "german"),
        (ENGLISH, "english"),
        (["J'habite à Lyon avec ma sœur et mes deux chats.", "Hier nous sommes allés au cinéma."], "french"),
        (["Vivo en Madrid con mi hermana y trabajo de enfermera.", "Ayer fuimos todos al cine."], "spanish"),
        (
            ["東京に住んでいます。犬が二匹います。", "週末は友達と山に登りました。とても楽しかったです。"],
            "simple",
        ),
        (["ok", "haha", "Porto!"], ""),
        ([], ""),
        ([text for pair in zip(GERMAN, ENGLISH, strict=True) for text in pair], ""),
    ],
    ids=["German", "English", "French", "Spanish", "no stems", "too little", "nothing", "mixed"],
)
def test_the_language_is_that_of_most_of_what_was_said(texts: list[str], language: str) -> None:
    assert language_of(texts) == language


def test_short_words_of_another_language_do_not_outvote_what_was_said() -> None:
    assert language_of([*GERMAN, "ok cool", "lol", "nice", "bye bye", "see you"]) == "german"


def test_of_a_long_conversation_messages_from_everywhere_in_it_are_looked_at() -> None:
    newest_first = [text * 3 for text in [ENGLISH[0]] * 16 + [GERMAN[0]] * 48]
    assert language_of(newest_first) == "german"


@pytest.mark.parametrize("exchanges", range(8, 32, 4))
def test_of_two_who_speak_two_languages_both_are_heard(exchanges: int) -> None:
    said = [text * 3 for text in (GERMAN[0], ENGLISH[0])]
    assert language_of(said * exchanges) == ""


def test_it_is_found_within_the_first_turns_that_tell_it(conversation: Conversation) -> None:
    def known() -> str:
        conversation.relationship.refresh_from_db()
        return conversation.relationship.language

    for said in (
        "I have a cat called Tom.",
        "He is nine years old now.",
        "I work as a nurse at night, mostly.",
    ):
        assert known() == ""
        conversation.say(said)

    assert known() == "english"


@pytest.mark.parametrize(
    ("known", "looked"),
    [("", [2, 3, 4, 6, 8, 12, 16, 23, 32, 46, 64, 91]), ("english", [2, 4, 8, 16, 32, 64])],
)
def test_a_conversation_that_tells_none_is_not_looked_through_with_each_turn(
    known: str, looked: list[int]
) -> None:
    assert [count for count in range(2, 100) if looks_again(count - 1, count, known=known)] == looked
    assert looks_again(5, 9, known=known)  # several at once, past a step


def languages_of(relationship: Relationship) -> tuple[str, list[str]]:
    """That of the relationship, and those of its rows in the index."""
    relationship.refresh_from_db()
    rows = SearchText.objects.for_relationship(relationship.id)
    return relationship.language, list(rows.order_by("told_at", "id").values_list("language", flat=True))


def test_the_first_messages_tell_it_before_they_are_indexed(relationship: Relationship) -> None:
    with statements_sent() as first:
        hear(relationship, GERMAN[0])
    with statements_sent() as second:
        hear(relationship, "Ok!")

    assert languages_of(relationship) == ("german", ["german"] * 2)
    assert len(first) <= len(second) + 1  # it is kept, and no entry is there to be indexed anew


def test_where_nothing_was_said_the_entries_tell_it(relationship: Relationship) -> None:
    added(relationship, "Mag Tee")
    assert languages_of(relationship) == ("", ["simple"])

    added(relationship, *GERMAN)
    assert languages_of(relationship) == ("german", ["german"] * 3)

    hear(relationship, "Ok!")
    assert languages_of(relationship) == ("german", ["german"] * 4)


def test_what_is_said_goes_before_the_entries(relationship: Relationship) -> None:
    added(relationship, *ENGLISH)
    hear(relationship, GERMAN[0])
    assert languages_of(relationship) == ("german", ["german"] * 3)

    added(relationship, "Works in a hospital at the other end of the town, mostly at night")
    assert languages_of(relationship) == ("german", ["german"] * 4)


def test_where_the_first_messages_do_not_tell_it_the_next_soon_do_however_many_entries_there_are(
    relationship: Relationship,
) -> None:
    added(relationship, *[f"{text} {place}" for place in range(10) for text in ENGLISH])
    hear(relationship, "Ok!")
    assert languages_of(relationship)[0] == "english"

    hear(relationship, GERMAN[0])
    assert languages_of(relationship)[0] == "german"
