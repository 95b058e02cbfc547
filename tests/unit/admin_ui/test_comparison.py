"""The entries of two prompts are compared in bounded time, and are paired as they are like each other."""

from admin_ui.comparison import Entry, pairs_of
from tests.growth import seconds


def entry(content: str) -> Entry:
    return {"type": "other", "content": content}


def test_another_wording_is_beside_what_it_is_like() -> None:
    published = [entry("Lives in Porto"), entry("Likes tea"), entry("Has a dog")]

    pairs = pairs_of(published, [entry("Likes green tea"), entry("Has a dog"), entry("Was born in May")])

    assert [(pair.kind, pair.before and pair.before["content"]) for pair in pairs] == [
        ("changed", "Likes tea"),
        ("added", None),
        ("removed", "Lives in Porto"),
        ("same", "Has a dog"),
    ]


def test_long_texts_of_few_letters_are_compared_in_bounded_time() -> None:
    def texts(letters: str) -> list[Entry]:
        return [entry((letters * 300)[number : number + 300]) for number in range(30)]

    assert seconds(lambda both: pairs_of(*both), (texts("abcab c"), texts("ab caab"))) < 5
