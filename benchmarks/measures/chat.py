"""Replies beside the same model without us: the first word, many streams at once, and contexts beside them."""

import os
import time
from functools import partial
from urllib.parse import urlsplit

from benchmarks.client import Answers, Client, Running
from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section, of_rounds
from benchmarks.seed import make_companion
from benchmarks.service import program
from benchmarks.streams import MARKS, PAUSE_SECONDS, WORDS
from benchmarks.timing import cpu_during, percentile


def chat(setup: Setup) -> Section:
    """The model is a process of its own; so is each load."""
    config = {"context": {"provider": "streaming"}, "ingestion": {"enabled": False}}
    make_companion("chat", config, project=setup.relationship.project)
    setup.service.start_chat()
    count, rounds = setup.scale.streams, setup.scale.rounds
    ours = setup.client
    bare = _client(os.environ["BENCH_STREAM_URL"])
    apart = Client(ours.host, setup.service.chat_port, ours.key)
    for client in (ours, apart):  # what the first request loads, and the people
        _stream(client, "chat", count).finish().require(200)
    firsts = [(_first(bare, "bench"), _first(ours, "chat")) for _ in range(5 * rounds)]
    passed = _passed(count)
    many, cpu = cpu_during(setup.service.processes, lambda: _stream(ours, "chat", count).finish())
    runs, alone, beside = _contexts_beside(setup, apart)
    complete = sum(run.statuses.get(200, 0) for run in (many, *runs))
    bare_cpu, web, database = (1000 * one / count for one in (passed, cpu["web"], cpu["database"]))
    later = [mine - theirs for theirs, mine in firsts]
    of_all = count * (len(runs) + 1)
    return Section(
        "Replies",
        f"A model of its own process that streams {WORDS} words, {1000 * PAUSE_SECONDS:g} ms apart. One client asks it "
        f"directly and through us in turn; then {count} streams at once, of {count} people; the same through a process "
        "that only copies bytes; then contexts alone, and beside as many streams of a second group of server "
        f"processes, in {rounds} rounds of a second each, taken together.",
        [
            of_rounds("first word, without us", [theirs for theirs, _ in firsts], "ms"),
            of_rounds("first word, later with us", later, "ms", Goal(15)),
            Figure(f"of {of_all} streams, complete", complete, goal=Goal(of_all, at_most=False)),
            Figure("CPU of a bare pass-through, a reply", bare_cpu, "ms"),
            Figure("CPU of the web server, a reply", web, "ms"),
            Figure("CPU of the web server, a reply, more than that", web - bare_cpu, "ms", Goal(15)),
            Figure("CPU of the database, a reply", database, "ms"),
            Figure("a context alone, p99", alone, "ms"),
            Figure("a context beside streams of the second group, p99", beside, "ms"),
            Figure("second group / alone", beside / alone, "x", Goal(2)),
        ],
    )


def _contexts_beside(setup: Setup, apart: Client) -> tuple[list[Answers], float, float]:
    """The runs of streams, and p99s in ms of contexts, alone and beside streams of `apart`.

    Of all rounds together: of the hundred contexts of one, the p99 is nearly the slowest.
    """
    runs: list[Answers] = []
    alone, beside = list[float](), list[float]()
    seconds = WORDS * PAUSE_SECONDS
    contexts = partial(setup.client.drive, [setup.context_request()], connections=1, seconds=seconds)
    for _ in range(setup.scale.rounds):
        alone += contexts().require(200).milliseconds
        streams = _stream(apart, "chat", setup.scale.streams)
        time.sleep(0.5)  # the streams are under way as the contexts begin
        beside += contexts().require(200).milliseconds
        runs.append(streams.finish())
    return runs, percentile(alone, 0.99), percentile(beside, 0.99)


def _passed(count: int) -> float:
    """CPU seconds of a process that passes all on to the model, and back."""
    with program("benchmarks.streams", "pass", os.environ["BENCH_STREAM_URL"]) as (process, url):
        client = _client(url)
        _stream(client, "bench", 8).finish()
        answers, used = cpu_during(
            lambda: {"it": [process]}, lambda: _stream(client, "bench", count).finish()
        )
    answers.require(200)
    return used["it"]


def _client(url: str) -> Client:
    """Who asks without us."""
    address = urlsplit(url)
    return Client(str(address.hostname), int(address.port or 0), "none")


def _first(client: Client, model: str) -> float:
    """Milliseconds to the first word of one stream."""
    return _stream(client, model, 1).finish().require(200).firsts[0]


def _stream(client: Client, model: str, count: int) -> Running:
    """So many streams at once, each of somebody else."""
    said = [{"role": "user", "content": "What should I cook tonight?"}]
    requests = [
        client.request(
            "POST",
            "/v1/chat/completions",
            {"model": model, "user": f"person {number}", "stream": True, "messages": said},
        )
        for number in range(count)
    ]
    return client.start(requests, connections=count, hold=True, marks=MARKS)
