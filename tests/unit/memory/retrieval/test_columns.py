import re
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config.postgresql.sessions import prepared_cursor
from memory.models import SearchedKind
from memory.retrieval.columns import (
    Columns,
    HalfBytes,
    HalfBytesDumper,
    SearchQuery,
    candidates_of,
    half_bytes,
    read_columns,
)
from memory.retrieval.rankers.base import Counts
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


def test_each_question_knows_its_own_words(memory: Memory) -> None:
    memory.remember("tea", "coffee")
    columns = read(memory, "tea", "coffee tea", "water")
    words = [[columns.lexemes[term] for term in terms] for terms in columns.terms]
    assert words == [["tea"], ["coffee", "tea"], ["water"]]


def test_a_question_without_words_reads_the_rows_alone(memory: Memory) -> None:
    memory.remember("tea")
    columns = read(memory, "")
    assert (len(columns), len(columns.counts.row), columns.lexemes) == (1, 0, [])


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


def test_people_are_numbered_by_name_or_role(memory: Memory) -> None:
    memory.say("Hello", "Hi", speaker="")
    memory.say("Good day", speaker="Tom")
    columns = read(memory, "hello", kind=SearchedKind.MESSAGE)
    assert set(columns.people) == {"user", "assistant", "Tom"}
    who = {number: name for name, number in columns.people.items()}
    assert [who[number] for number in columns.values["who"].tolist()] == ["user", "assistant", "Tom"]


@pytest.mark.parametrize("written", ["it's", "back\\slash", "a & b | c ! d", "(((", "':*", "%s %(x)s", "{}"])
def test_no_sign_of_a_question_is_read_as_a_query(memory: Memory, written: str) -> None:
    memory.remember(f"tea {written}")
    columns = read(memory, f"tea {written}")
    assert ("tea", 0, 1) in counted(columns)


def test_one_statement_reads_all_and_two_more_only_where_languages_differ(memory: Memory) -> None:
    memory.remember("tea")
    with CaptureQueriesContext(connection) as alike:
        read(memory, "tea")
    with CaptureQueriesContext(connection) as different:
        read(memory, "tea", language="english")
    assert (len(alike), len(different)) == (1, 3)


def test_a_language_nobody_knows_is_simple(memory: Memory) -> None:
    memory.remember("teas")
    assert counted(read(memory, "teas", language="klingon")) == {("teas", 0, 1)}


def test_columns_are_numbers_that_can_be_reckoned_with(memory: Memory) -> None:
    memory.remember("tea", importance=0.25, weight=2.0)
    values = read(memory, "tea").values
    assert all(column.dtype.isnative for column in values.values())
    assert (values["importance"].tolist(), values["weight"].tolist()) == ([0.25], [2.0])
    assert values["allowed"].dtype == np.bool_


def test_words_of_rows_that_are_not_read_are_nobodys(memory: Memory) -> None:
    memory.remember("tea, tea and tea", "old tea", state="superseded")
    memory.remember("tea", "tea too")
    memory.remember("tea tea", "no tea", state="superseded")
    assert counted(read(memory, "tea")) == {("tea", 0, 1), ("tea", 1, 1)}


def columns(**values: list[float]) -> Columns:
    count = 3
    usual = {
        "told": [1.0, 2.0, 3.0],
        "length": [5, 6, 7],
        "who": [10, 20, 10],
        "allowed": [True, True, False],
    }
    return Columns(
        ids=np.array([bytes([number]) * 16 for number in range(count)]),
        values={name: np.array(column) for name, column in {**usual, **values}.items()},
        people={"user": 10, "Sofia": 20},
        lexemes=["coffee", "milk", "tea"],
        terms=[np.array([1, 2]), np.array([0, 2])],
        counts=Counts(np.array([0, 1, 2]), np.array([0, 2, 1]), np.array([1.0, 2.0, 3.0])),
        cosines=[],
    )


def test_a_question_sees_the_counts_of_its_own_words_numbered_from_zero() -> None:
    first, second = (candidates_of(columns(), number, named=[]).counts for number in (0, 1))
    assert (first.row.tolist(), first.term.tolist(), first.count.tolist()) == ([1, 2], [1, 0], [2.0, 3.0])
    assert (second.row.tolist(), second.term.tolist()) == ([0, 1], [0, 1])


def test_messages_weigh_alike_all_count_and_each_belongs_to_its_session() -> None:
    seen = candidates_of(columns(session=[-7, 40, -7]), 0, named=["Sofia"])
    assert seen.session[0] == seen.session[2] != seen.session[1] and (seen.session >= 0).all()
    assert seen.importance.tolist() == seen.weight.tolist() == [1, 1, 1]
    assert seen.counted.all()
    assert seen.touched.tolist() == [1, 2, 3]
    assert seen.named.tolist() == [False, True, False]
    assert not seen.has_vectors


def test_entries_belong_to_no_session() -> None:
    seen = candidates_of(columns(importance=[0.1, 0.2, 0.3], touched=[9, 9, 9]), 0, named=["user"])
    assert seen.session.tolist() == [-1, -1, -1]
    assert seen.importance.tolist() == [0.1, 0.2, 0.3]
    assert seen.touched.tolist() == [9, 9, 9]
    assert seen.named.tolist() == [True, False, True]


@pytest.mark.django_db
def test_the_bytes_are_what_pgvector_writes_itself() -> None:
    vector = np.array([0.5, -0.25, 1.0], dtype=np.float32)

    with connection.cursor() as cursor:
        cursor.execute("SELECT halfvec_send('[0.5,-0.25,1]'::halfvec)")
        written = bytes(cursor.fetchone()[0])
    assert half_bytes(vector) == written


@pytest.mark.django_db
def test_a_statement_takes_them_as_a_vector() -> None:
    with prepared_cursor() as cursor:
        cursor.adapters.register_dumper(HalfBytes, HalfBytesDumper)
        cursor.execute(
            "SELECT '[1,0]'::halfvec <=> %s::halfvec", [half_bytes(np.array([0.0, 1.0], np.float32))]
        )
        assert cursor.fetchone()[0] == 1.0


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
