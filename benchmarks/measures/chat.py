"""Replies through Rapport, compared with the same model without it: the first word, many streams at once, and contexts
at the same time.
"""

import os
import time
from concurrent.futures import Future
from functools import partial
from urllib.parse import urlsplit

from benchmarks.client import Answers, Client
from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section, of_rounds
from benchmarks.seed import make_companion
from benchmarks.streams import MARKS, PAUSE_SECONDS, WORDS
from benchmarks.timing import alternate, cpu_during, percentile


def chat(setup: Setup) -> Section:
    config = {"context": {"provider": "streaming"}, "ingestion": {"enabled": False}}
    make_companion("chat", config, project=setup.relationship.project)
    setup.service.start_chat()
    count, rounds = setup.scale.streams, setup.scale.rounds
    rapport, model = setup.client, _client_of(os.environ["BENCH_STREAM_URL"])
    second_group = Client(rapport.host, setup.service.chat_port, rapport.key)
    for client in (rapport, second_group):  # to load code, and to make the people
        _stream(client, "chat", count).result().require(200)
    firsts = alternate(partial(_first, model, "bench"), partial(_first, rapport, "chat"), rounds=5 * rounds)
    many, cpu = cpu_during(setup.service.processes, lambda: _stream(rapport, "chat", count).result())
    runs, alone, beside = _contexts_beside(setup, second_group)
    complete = sum(run.statuses.get(200, 0) for run in (many, *runs))
    later = [mine - other for other, mine in zip(*firsts, strict=True)]
    of_all = count * (len(runs) + 1)
    return Section(
        "Replies",
        f"A model of its own process that streams {WORDS} words, {1000 * PAUSE_SECONDS:g} ms apart. One client asks it "
        f"directly and through us in turn; then {count} streams at once, of {count} people; then contexts alone, and "
        "beside as many streams of a second group of server processes, in "
        f"{rounds} rounds of a second each, taken together.",
        [
            of_rounds("first word, without us", firsts[0], "ms"),
            of_rounds("first word, later with us", later, "ms", Goal(15)),
            Figure(f"of {of_all} streams, complete", complete, goal=Goal(of_all, at_most=False)),
            Figure("CPU of the web server, a reply", 1000 * cpu["web"] / count, "ms"),
            Figure("a context alone, p99", alone, "ms"),
            Figure("a context beside streams of the second group, p99", beside, "ms"),
            Figure("second group / alone", beside / alone, "x", Goal(2)),
        ],
    )


def _contexts_beside(setup: Setup, second_group: Client) -> tuple[list[Answers], float, float]:
    """The runs of streams, and the p99 in ms of contexts alone and beside these streams, over all rounds together.

    In one round the p99 would be nearly the slowest of a hundred contexts.
    """
    runs: list[Answers] = []
    alone, beside = list[float](), list[float]()
    seconds = WORDS * PAUSE_SECONDS
    contexts = partial(setup.client.drive, [setup.context_request()], connections=1, seconds=seconds)
    for _ in range(setup.scale.rounds):
        alone += contexts().require(200).milliseconds
        streams = _stream(second_group, "chat", setup.scale.streams)
        time.sleep(0.5)  # so that the streams have begun
        beside += contexts().require(200).milliseconds
        runs.append(streams.result())
    return runs, percentile(alone, 0.99), percentile(beside, 0.99)


def _client_of(url: str) -> Client:
    address = urlsplit(url)
    return Client(str(address.hostname), int(address.port or 0), "none")


def _first(client: Client, model: str) -> float:
    """Milliseconds to the first word of one stream."""
    return _stream(client, model, 1).result().require(200).firsts[0]


def _stream(client: Client, model: str, count: int) -> Future[Answers]:
    """Begin this many streams at once, each of another person."""
    said = [{"role": "user", "content": "What should I cook tonight?"}]
    body = {"model": model, "stream": True, "messages": said}
    requests = [
        client.request("POST", "/v1/chat/completions", {**body, "user": f"person {number}"})
        for number in range(count)
    ]
    return client.start(requests, connections=count, hold=True, marks=MARKS)
