import re
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import SearchedKind
from memory.retrieval.columns import (
    Columns,
    SearchQuery,
    read_columns,
)
from memory.retrieval.results import EntryFilters, MessageFilters
from memory.retrieval.statements import read_statement
from relationships.ids import uuid7
from tests.unit.memory.retrieval.searched import NOON, Memory

ALL = np.s_[:]
A_NUL_AT_THE_END = "0190a000-0000-7000-8000-000000000000"


def read(memory: Memory, *words: str, kind: SearchedKind = SearchedKind.ENTRY, **asked: Any) -> Columns:
    usual: dict[str, Any] = {
        "relationship_id": memory.relationship.id,
        "kind": kind,
        "words": words,
        "language": memory.retrieval.language,
        "filters": MessageFilters() if kind == SearchedKind.MESSAGE else EntryFilters(),
        "now": NOON,
    }
    return read_columns(SearchQuery(**usual | asked))


def counted(columns: Columns) -> set[tuple[str, int, float]]:
    """Each hit as (word, row, how often)."""
    hits = columns.counts
    return {
        (columns.lexemes[term], int(row), float(count))
        for row, term, count in zip(hits.row, hits.term, hits.count, strict=True)
    }


def test_rows_come_in_the_order_they_were_told_with_what_is_counted_in_them(memory: Memory) -> None:
    messages = memory.say("tea, tea and tea", "coffee", "tea")

    columns = read(memory, "tea coffee", kind=SearchedKind.MESSAGE)

    assert columns.ids_of(ALL) == [message.id for message in messages]
    assert counted(columns) == {("tea", 0, 3), ("coffee", 1, 1), ("tea", 2, 1)}
    assert columns.values["length"].tolist() == [4, 1, 1]
    assert columns.values["told"].tolist() == [NOON.timestamp()] * 3


def test_an_id_that_ends_in_zeros_is_read_whole(memory: Memory) -> None:
    memory.remember("tea", id=A_NUL_AT_THE_END)
    memory.remember("tea too")
    columns = read(memory, "tea")
    assert A_NUL_AT_THE_END in map(str, columns.ids_of(ALL))
    assert len(columns.counts.row) == 2


def test_chosen_rows_are_read_and_no_others(memory: Memory) -> None:
    tea, _ = memory.remember("tea", "more tea")
    columns = read(memory, "tea", only=[tea.id, uuid7()])
    assert columns.ids_of(ALL) == [tea.id]
    assert counted(columns) == {("tea", 0, 1)}


def test_one_statement_reads_all_and_two_more_only_where_languages_differ(memory: Memory) -> None:
    memory.remember("tea")
    with CaptureQueriesContext(connection) as alike:
        read(memory, "tea")
    with CaptureQueriesContext(connection) as different:
        read(memory, "tea", language="english")
    assert (len(alike), len(different)) == (1, 3)


def test_words_of_rows_that_are_not_read_are_nobodys(memory: Memory) -> None:
    memory.remember("tea, tea and tea", "old tea", state="superseded")
    memory.remember("tea", "tea too")
    memory.remember("tea tea", "no tea", state="superseded")
    assert counted(read(memory, "tea")) == {("tea", 0, 1), ("tea", 1, 1)}


@pytest.mark.parametrize("kind", list(SearchedKind))
@pytest.mark.parametrize("vectors", [0, 1, 3])
@pytest.mark.parametrize("only", [True, False])
def test_every_table_is_read_within_one_relationship(kind: SearchedKind, vectors: int, only: bool) -> None:
    statement = read_statement(kind, vectors=vectors, only=only)

    tables = re.findall(r"(?:FROM|JOIN|,)\s+memory_\w+", statement)
    bound = re.findall(r"relationship_id = (?:%\(relationship\)s|s\.relationship_id)", statement)
    assert len(bound) == len(tables) == (4 if kind == SearchedKind.ENTRY else 7) + bool(vectors)
    of_entries = 3 + bool(vectors) if kind == SearchedKind.ENTRY else 1 + bool(vectors)
    assert statement.count("s.owner_id = ANY(%(only)s)") == (of_entries if only else 0)
    assert statement.count("AS cosine") == vectors


def test_vectors_of_one_space_alone_are_compared() -> None:
    statement = read_statement(SearchedKind.ENTRY, vectors=1, only=False)
    assert "s.model = %(model)s" in statement
    assert "s.dimensions = %(dimensions)s" in statement
