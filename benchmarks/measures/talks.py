"""Contexts and searches over long conversations, each beside what costs nothing: SELECT 1, and a row by REST."""

from collections.abc import Callable
from itertools import cycle

from django.utils import timezone

from benchmarks import draw
from benchmarks.measures.contexts import ROUNDS, select_one
from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section, of_rounds
from benchmarks.seed import Line, analyze, make_companion, make_relationships, store_messages
from benchmarks.timing import p50, time_calls
from context.pipeline import build_context
from memory.retrieval.index.backfill import rebuild_index
from relationships.models import Relationship

# How often SELECT 1 a context may take, and how often GET /relationships/{id} a search, by the messages there are.
GOALS = {500: (25, 3), 5_000: (60, 8), 50_000: (None, 40)}
SESSION = 40  # messages
# What stands for the most frequent words, as in any language: text search leaves them out.
_STOP_WORDS = (
    "the i you to and a it is that of in was my for on have with but so not at be this do we are your me what just if "
    "when about as had all there can were or then up an out will from how she he been"
).split()


def talks(setup: Setup) -> Section:
    sizes = [size for size in GOALS if size <= setup.scale.messages]
    figures = [figure for size in sizes for figure in _measured(setup, _talk(setup, size), size)]
    return Section(
        "talks",
        "A long conversation",
        "build_context() as installed, which searches what was said, and SELECT 1 take turns; then, over HTTP on one "
        "connection, messages/search and GET /relationships/{id}. Messages of twelve words, which fall off as words "
        "do, the first fifty of them stop words; a question is such a message.",
        figures,
    )


def _talk(setup: Setup, size: int) -> Relationship:
    config = {"retrieval": {"language": "english"}}
    companion = make_companion(f"talks-{size}", config, project=setup.relationship.project)
    (relationship,) = make_relationships(companion, [f"talks-{size}"])
    now, roles = timezone.now(), ("user", "assistant")
    store_messages(
        relationship,
        (
            Line(f"session-{place // SESSION}", roles[place % 2], text, now)
            for place, text in enumerate(_texts(size))
        ),
    )
    rebuild_index(relationship.id)
    analyze()
    return relationship


def _measured(setup: Setup, talk: Relationship, size: int) -> list[Figure]:
    calls = max(10, setup.scale.calls // ROUNDS // 4)
    questions = _texts(50, seed=99)
    asked_next = cycle(questions)

    def context() -> None:
        build_context(project_id=talk.project_id, relationship_id=talk.id, message=next(asked_next))

    pairs = [time_calls(select_one, context, times=calls) for _ in range(ROUNDS)]
    path = f"/v1/relationships/{talk.id}"
    read = setup.client.request("GET", path)
    searches = [
        setup.client.request("POST", f"{path}/messages/search", {"query": text}) for text in questions
    ]
    load = _one_by_one(setup, calls)
    asked = [(load([read]), load(searches)) for _ in range(ROUNDS)]
    of_context, of_search = GOALS[size]
    at = f"{size:,} messages: "
    return [
        of_rounds(f"{at}build_context(), p50", [p50(built) for _, built in pairs], "ms"),
        of_rounds(
            f"{at}build_context() / SELECT 1, p50",
            [p50(built) / p50(one) for one, built in pairs],
            "x",
            Goal(of_context) if of_context else None,
        ),
        of_rounds(f"{at}messages/search, p50", [found for _, found in asked], "ms"),
        of_rounds(
            f"{at}messages/search / GET a relationship, p50",
            [found / got for got, found in asked],
            "x",
            Goal(of_search),
        ),
    ]


def _texts(count: int, *, seed: int = draw.SEED) -> list[str]:
    words = {f"w{place}": word for place, word in enumerate(_STOP_WORDS)}
    return [" ".join(words.get(word, word) for word in text.split()) for text in draw.texts(count, seed=seed)]


def _one_by_one(setup: Setup, calls: int) -> Callable[[list[str]], float]:
    """The middle of so many requests in milliseconds."""
    return lambda requests: setup.client.drive(requests, connections=1, count=calls).require(200).p50
