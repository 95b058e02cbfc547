import pytest

from memory.mending.wishes import unkept_in


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I love Walt. Don't write that down.", "I love Walt"),
        ("Ich mag Jan. Merk dir das bitte nicht.", "Ich mag Jan"),
        ("ワルトが好き。これはメモしないでね", "ワルトが好き"),
        ("Don't write that down.", ""),
        ("I told him, don't write that down.", ""),
        ("The file is new. Don't save it.", ""),
        ("Die Datei ist neu. Speichere das nicht.", ""),
        ('She said: "I love Walt. Don\'t write that down."', ""),
        ("> I love Walt. Don't write that down.\nSo?", ""),
    ],
)
def test_what_a_message_surely_tells_and_asks_not_to_keep(said: str, told: str) -> None:
    assert unkept_in(said) == told
