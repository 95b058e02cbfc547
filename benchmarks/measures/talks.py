"""Contexts and searches over long conversations, each beside what costs nothing: SELECT 1, and a row by REST."""

from itertools import cycle

import numpy as np
from django.utils import timezone

from benchmarks.measures.setup import ROUNDS, Setup, beside_select_one
from benchmarks.report import Figure, Goal, Section, of_rounds
from benchmarks.seed import Line, analyze, store_messages
from context.pipeline import build_context
from memory.retrieval.index.backfill import rebuild_index
from relationships.models import Relationship

# How often SELECT 1 a context may take, and how often GET /relationships/{id} a search, by the messages there are.
GOALS = {500: (Goal(25), Goal(3)), 5_000: (Goal(60), Goal(8)), 50_000: (None, Goal(40))}
SESSION = 40  # messages
_WORDS, _WORDS_A_TEXT = 20_000, 12
# What stands for the most frequent words, as in any language: text search leaves them out.
_STOP_WORDS = (
    "the i you to and a it is that of in was my for on have with but so not at be this do we are your me what just if "
    "when about as had all there can were or then up an out will from how she he been"
).split()
_VOCABULARY = [*_STOP_WORDS, *(f"w{place}" for place in range(len(_STOP_WORDS), _WORDS))]


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
    now, roles = timezone.now(), ("user", "assistant")
    store_messages(
        talk,
        (
            Line(f"session-{place // SESSION}", roles[place % 2], text, now)
            for place, text in enumerate(texts(size))
        ),
    )
    rebuild_index(talk.id)
    analyze()
    return talk


def _measured(setup: Setup, talk: Relationship, size: int) -> list[Figure]:
    calls = max(10, setup.scale.calls // ROUNDS // 4)
    questions = texts(50, seed=99)
    next_one = cycle(questions)
    at, (of_context, of_search) = f"{size:,} messages: ", GOALS[size]

    def context() -> None:
        build_context(project_id=talk.project_id, relationship_id=talk.id, message=next(next_one))

    def load(requests: list[str]) -> float:
        return setup.client.drive(requests, connections=1, count=calls).require(200).p50

    path = f"/v1/relationships/{talk.id}"
    read = setup.client.request("GET", path)
    searches = [setup.client.request("POST", f"{path}/messages/search", {"query": one}) for one in questions]
    asked = [(load([read]), load(searches)) for _ in range(ROUNDS)]
    ratios = [found / got for got, found in asked]
    return [
        *beside_select_one({f"{at}build_context()": (context, None, of_context)}, times=calls),
        of_rounds(f"{at}messages/search, p50", [found for _, found in asked], "ms"),
        of_rounds(f"{at}messages/search / GET a relationship, p50", ratios, "x", of_search),
    ]


def texts(count: int, *, seed: int = 7) -> list[str]:
    """Twelve words each, which fall off as words do (Zipf): the n-th is n times rarer than the first."""
    share = 1 / np.arange(1, _WORDS + 1)
    random = np.random.default_rng([7, seed])
    drawn = random.choice(_WORDS, size=(count, _WORDS_A_TEXT), p=share / share.sum())
    return [" ".join(_VOCABULARY[word] for word in row) for row in drawn]
