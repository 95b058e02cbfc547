import pytest

from memory.retrieval.index.language import language_of
from tests.fixtures.turns import Conversation

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


def test_it_is_looked_for_with_each_turn_until_it_is_known(conversation: Conversation) -> None:
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
