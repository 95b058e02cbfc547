import pytest

from memory.models import SearchedKind
from memory.retrieval.statements import read_statement


@pytest.mark.parametrize("kind", list(SearchedKind))
@pytest.mark.parametrize("vectors", [0, 1, 3])
@pytest.mark.parametrize("only", [True, False])
def test_every_table_is_read_within_one_relationship(kind: SearchedKind, vectors: int, only: bool) -> None:
    statement = read_statement(kind, vectors=vectors, only=only)

    tables = statement.count("memory_searchtext s") + statement.count("memory_embedding s")
    assert tables == 3 + bool(vectors)
    assert statement.count("s.relationship_id = %(relationship)s AND s.kind = %(kind)s") == tables
    assert statement.count("s.owner_id = ANY(%(only)s)") == (tables if only else 0)
    assert statement.count("AS cosine") == vectors


def test_vectors_of_one_space_alone_are_compared() -> None:
    statement = read_statement(SearchedKind.ENTRY, vectors=1, only=False)
    assert "s.model = %(model)s" in statement
    assert "s.dimensions = %(dimensions)s" in statement


def test_the_same_search_is_the_same_statement_so_that_it_stays_prepared() -> None:
    first = read_statement(SearchedKind.ENTRY, vectors=1, only=False)
    assert first is read_statement(SearchedKind.ENTRY, vectors=1, only=False)
