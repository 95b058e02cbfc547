import pytest

from memory.entries.fingerprint import content_hash


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "likes  TEA."),
        ("Café", "Cafe\u0301"),
        ("Straße", "STRASSE"),
        ("ﬁsh", "fish"),
        ("Has a dog!", " Has a dog"),
        ("喜欢茶。", "喜欢茶"),
        ("चाय पसंद है।", "चाय पसंद है"),
        ("عمره ٣٥ سنة،", "عمره 35 سنة"),
    ],
)
def test_the_same_thing_written_otherwise_is_the_same(one: str, other: str) -> None:
    assert content_hash(one) == content_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "Doesn't like tea"),
        ("Prefers tea over coffee", "Prefers coffee over tea"),
        ("Has 2 cats", "Has 20 cats"),
        ("Likes tea?", "Likes tea"),
        ("C", "C++"),
        ("...", "!!!"),
    ],
)
def test_what_differs_in_a_word_or_sign_differs(one: str, other: str) -> None:
    assert content_hash(one) != content_hash(other)
