"""Contexts over long conversations, compared with SELECT 1, and searches, compared with reading one row over REST."""

from functools import partial
from itertools import cycle

import numpy as np

from benchmarks.measures.setup import ROUNDS, Setup, beside_select_one
from benchmarks.report import Figure, Goal, Section, of_ratios, of_rounds
from benchmarks.seed import analyze, store_talk
from benchmarks.timing import alternate
from context.pipeline import build_context
from memory.retrieval.index.backfill import rebuild_index
from relationships.models import Relationship

# By number of messages: goals of a context, as a multiple of SELECT 1, and of a search, of GET /relationships/{id}.
GOALS = {500: (Goal(25), Goal(3)), 5_000: (Goal(60), Goal(8)), 50_000: (None, Goal(40))}
SESSION = 40  # messages
_WORDS, _WORDS_A_TEXT = 20_000, 12
# The most frequent words, which text search leaves out.
_STOP_WORDS = (
    "the i you to and a it is that of in was my for on have with but so not at be this do we are your me what just if "
    "when about as had all there can were or then up an out will from how she he been"
).split()
_LETTERS = np.random.default_rng(7).choice(
    list("abcdefghijklmnopqrstuvwxyz"), size=(_WORDS - len(_STOP_WORDS), 8)
)
_VOCABULARY = [*_STOP_WORDS, *map("".join, _LETTERS)]


def talks(setup: Setup) -> Section:
    sizes = [size for size in GOALS if size <= setup.scale.messages]
    figures = [figure for size in sizes for figure in _measured(setup, _talk(setup, size), size)]
    return Section(
        "A long conversation",
        "build_context() as installed, which searches what was said, and SELECT 1 take turns; then, over HTTP on one "
        "connection, messages/search and GET /relationships/{id}. Messages of twelve words, which fall off as words "
        "do, the first fifty of them stop words; a question is such a message.",
        figures,
    )


def _talk(setup: Setup, size: int) -> Relationship:
    (talk,) = setup.people(f"talks-{size}", count=1, retrieval={"language": "english"})
    store_talk(talk, texts(size), (f"session-{place // SESSION}" for place in range(size)))
    rebuild_index(talk.id)
    analyze()
    return talk


def _measured(setup: Setup, talk: Relationship, size: int) -> list[Figure]:
    calls = max(10, setup.scale.calls // ROUNDS // 4)
    questions = texts(50, seed=99)
    next_question = cycle(questions)
    at, (of_context, of_search) = f"{size:,} messages: ", GOALS[size]

    def context() -> None:
        build_context(project_id=talk.project_id, relationship_id=talk.id, message=next(next_question))

    def load(requests: list[str]) -> float:
        return setup.client.drive(requests, connections=1, count=calls).require(200).p50

    path = f"/v1/relationships/{talk.id}"
    read = setup.client.request("GET", path)
    searches = [setup.client.request("POST", f"{path}/messages/search", {"query": one}) for one in questions]
    got, found = alternate(partial(load, [read]), partial(load, searches), rounds=ROUNDS)
    return [
        *beside_select_one({f"{at}build_context()": (context, None, of_context)}, times=calls),
        of_rounds(f"{at}messages/search, p50", found, "ms"),
        of_ratios(f"{at}messages/search / GET a relationship, p50", found, got, of_search),
    ]


def texts(count: int, *, seed: int = 7) -> list[str]:
    """Texts of twelve words, drawn by Zipf's law: the n-th word is n times as rare as the first."""
    share = 1 / np.arange(1, _WORDS + 1)
    random = np.random.default_rng([7, seed])
    drawn = random.choice(_WORDS, size=(count, _WORDS_A_TEXT), p=share / share.sum())
    return [" ".join(_VOCABULARY[word] for word in row) for row in drawn]
