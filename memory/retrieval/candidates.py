"""Columns, as one question sees them."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from memory.retrieval.columns import Columns
from memory.retrieval.rankers.base import Candidates, Counts, Ints, Statistics


def candidates_of(
    columns: Columns, number: int, *, named: Collection[str], whole: Statistics | None = None
) -> Candidates:
    """For the question of that number. `named`: which of the columns' people it names.

    `whole`: figures of all rows where the columns are a choice; its `documents` are of all questions' words.
    """
    values, count = columns.values, len(columns)
    ones = np.ones(count)
    return Candidates(
        told=values["told"],
        touched=values.get("touched", values["told"]),
        length=values["length"].astype(np.float64),
        session=_numbered(values["session"]) if "session" in values else np.full(count, -1),
        named=np.isin(values["who"], [columns.people[who] for who in named]),
        cosine=columns.cosines[number] if columns.cosines else np.full(count, np.nan),
        importance=values.get("importance", ones),
        weight=values.get("weight", ones),
        counted=values.get("counted", ones.astype(np.bool_)),
        allowed=values["allowed"],
        counts=_counts_of(columns, columns.terms[number]),
        statistics=_statistics_of(columns, columns.terms[number], whole),
    )


def _statistics_of(columns: Columns, terms: Ints, whole: Statistics | None) -> Statistics | None:
    """None, so that the choice has to do, where rows are of another language and their words were not counted."""
    words = {term for of_question in columns.terms for term in of_question}
    if whole is None or len(whole.documents) != len(words):
        return None
    return replace(whole, documents=whole.documents[terms])


def _numbered(sessions: Ints) -> Ints:
    return np.unique(sessions, return_inverse=True)[1].astype(np.int64)


def _counts_of(columns: Columns, terms: Ints) -> Counts:
    """Those of the question's own words, numbered anew from 0."""
    counts = columns.counts
    own = np.isin(counts.term, terms)
    return Counts(row=counts.row[own], term=np.searchsorted(terms, counts.term[own]), count=counts.count[own])
