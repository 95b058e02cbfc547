import pytest

from tests.labelled.scratchpad import entry, remembered


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I'm vegetarian.", "Is vegetarian"),
        ("I became vegan this year.", "Is vegan (since 2026)"),
        ("I can't eat gluten.", "Cannot eat gluten"),
        ("I can't have dairy.", "Cannot have dairy"),
        ("I don't drink alcohol.", "Does not drink alcohol"),
        ("I don't smoke.", "Does not smoke"),
        ("I never drink wine.", "Never drinks wine"),
        ("I quit smoking in January.", "Stopped smoking in January 2026"),
    ],
)
def test_what_is_not_consumed_is_kept(said: str, kept: str) -> None:
    assert remembered(said) == [kept]


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        ("I became vegan this year.", "Is vegetarian", "Is vegan (since 2026)"),
        ("I'm not vegetarian anymore.", "Is vegetarian", "Is no longer vegetarian"),
        ("Actually I'm not vegan, just vegetarian.", "Is vegan", "Is vegetarian"),
        ("I stopped drinking coffee.", "Drinks coffee every morning", "Stopped drinking coffee"),
        ("I stopped drinking coffee.", "Prefers coffee over tea", "Stopped drinking coffee"),
        ("I don't drink coffee anymore.", "Drinks coffee every morning", "No longer drinks coffee"),
    ],
)
def test_a_change_takes_the_place_of_the_habit(said: str, before: str, after: str) -> None:
    assert remembered(said, entry(before)) == [after]


def test_giving_up_one_thing_leaves_the_preference_for_the_other() -> None:
    assert "Prefers tea over coffee" in remembered(
        "I stopped drinking coffee.", entry("Prefers tea over coffee")
    )


@pytest.mark.parametrize(
    "said", ["I can't eat now.", "I don't drink it.", "I can't take this.", "I would never eat snails."]
)
def test_what_holds_for_the_moment_is_not_kept(said: str) -> None:
    assert remembered(said) == []
