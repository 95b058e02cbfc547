import pytest

from memory.providers.offline.preferences import points_out
from tests.labelled.scratchpad import entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I love jazz.", ["Loves jazz"]),
        ("I really can't stand loud restaurants.", ["Cannot stand loud restaurants"]),
        ("I'm not into horror movies.", ["Dislikes horror movies"]),
        ("Horror films are not for me.", ["Dislikes horror films"]),
        ("I don't like mushrooms.", ["Dislikes mushrooms"]),
        ("I love dogs but I hate cats.", ["Loves dogs", "Hates cats"]),
        ("I've always loved the ocean.", ["Loves the ocean"]),
        ("I prefer tea over coffee.", ["Prefers tea over coffee"]),
        ("I'd rather take the train than fly.", ["Prefers to take the train over fly"]),
        ("My favourite colour is green.", ["Favourite colour is green"]),
        ("Pasta is my favourite food.", ["Favourite food is Pasta"]),
        ('I loved "Becoming Nicole" by Amy Ellis Nutt.', ['Loved "Becoming Nicole" by Amy Ellis Nutt']),
        ("I hate it when people are late.", ["Hates it when people are late"]),
    ],
)
def test_likes_and_dislikes_are_kept(said: str, kept: list[str]) -> None:
    assert remembered(said) == kept


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        ("I don't like coffee anymore.", "Loves coffee", ["No longer likes coffee"]),
        ("I've gone off sushi.", "Loves sushi", ["No longer likes sushi"]),
        ("I used to love running but not anymore.", "Loves running", ["No longer likes running"]),
        ("Actually I prefer coffee to tea now.", "Prefers tea over coffee", ["Prefers coffee over tea"]),
        ("I don't like tea.", "Prefers tea over coffee", ["Dislikes tea"]),
        ("I now love mushrooms.", "Dislikes mushrooms", ["Loves mushrooms"]),
        ("I've come around to olives.", "Hates olives", ["Likes olives"]),
        ("I don't hate mondays.", "Hates mondays", []),
        ("I don't like coffee.", "User enjoys coffee", ["Dislikes coffee"]),
        (
            "My favourite band used to be Oasis, now it's Radiohead.",
            "Favourite band is Oasis",
            ["Favourite band is Radiohead"],
        ),
    ],
)
def test_a_change_of_mind_never_stands_beside_what_it_changes(
    said: str, before: str, after: list[str]
) -> None:
    assert remembered(said, entry(before, "preference")) == after


def test_the_same_liking_is_not_kept_twice() -> None:
    assert remembered("I really love jazz!", entry("Likes jazz", "preference")) == ["Likes jazz"]


def test_a_liking_that_was_once_says_nothing_of_today() -> None:
    assert remembered("I used to love hiking.", entry("Loves hiking", "preference")) == ["Loves hiking"]


@pytest.mark.parametrize(
    "said",
    [
        "I love it!",
        "I love you, Ada.",
        "I like that idea.",
        "I love how you explain things.",
        "I love this song!",
    ],
)
def test_what_points_into_the_talk_is_not_kept(said: str) -> None:
    assert remembered(said) == []


def test_words_that_point_are_known() -> None:
    assert points_out("the blue vase in the pic")
    assert not points_out("the sea")
