import pytest

from memory.retrieval.names import is_named


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Sam", "What did Sam say?"),
        ("Sam", "sam's dog"),
        ("Maya Ortiz", "Where does Ortiz live?"),
        ("Zoë", "Is ZOË there?"),
        ("田中", "田中さんは何が好きですか"),
        ("Jean-Luc", "what would Luc do"),
    ],
)
def test_a_name_is_recognised_by_a_whole_word_of_it(name: str, question: str) -> None:
    assert is_named(name, question)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Sam", "the same thing, Samuel"),
        ("Al", "Al is too short"),
        ("Anna Maria", "Annabel"),
        ("", "nobody"),
        ("—", "— a dash"),
        ("中", "中国"),
    ],
)
def test_a_part_of_a_word_is_nobody(name: str, question: str) -> None:
    assert not is_named(name, question)
