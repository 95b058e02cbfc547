import pytest

from admin_ui.comparison import pairs_of


def entries(*contents: str, type: str = "other") -> list[dict[str, str]]:
    return [{"type": type, "subject": "user", "content": content} for content in contents]


@pytest.mark.parametrize(
    ("published", "draft", "kinds"),
    [
        ([], [], []),
        (["Has a dog"], ["Has a dog"], ["same"]),
        (["Has a dog"], [], ["gone"]),
        ([], ["Has a dog"], ["new"]),
        (["Lives in Porto", "Has a dog"], ["Has a dog", "Lives in Faro"], ["changed", "same"]),
        (["Lives in Porto"], ["Is vegetarian", "Lives in Faro"], ["changed", "new"]),
        (["Plays the crumhorn"], ["Is vegetarian"], ["new", "gone"]),
        (["Likes tea", "Likes teas"], ["Likes tea "], ["changed", "gone"]),
    ],
)
def test_what_differs_stands_before_what_both_keep(
    published: list[str], draft: list[str], kinds: list[str]
) -> None:
    pairs = pairs_of(entries(*published), entries(*draft))

    assert [pair.kind for pair in pairs] == kinds
    assert sorted(pair.before["content"] for pair in pairs if pair.before) == sorted(published)
    assert sorted(pair.after["content"] for pair in pairs if pair.after) == sorted(draft)


def test_another_type_is_a_difference() -> None:
    (pair,) = pairs_of(entries("Has a dog"), entries("Has a dog", type="pet"))

    assert pair.kind == "changed"
