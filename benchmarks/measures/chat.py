"""Replies beside the same model without us: the first word, many streams at once, and contexts beside them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import psutil

from benchmarks.client import Client
from benchmarks.measures.setup import SMOKE, Setup
from benchmarks.report import Figure, Goal, Section, of_rounds
from benchmarks.seed import make_companion
from benchmarks.streams import PAUSE_SECONDS, WORDS
from benchmarks.timing import cpu_during, p50, percentile

STREAMS = 300
_SAID = "What should I cook tonight?"


def chat(setup: Setup) -> Section:
    """The model is a process of its own; so is each load."""
    config = {"context": {"provider": "streaming"}, "ingestion": {"enabled": False}}
    make_companion("chat", config, project=setup.relationship.project)
    bare = _model()
    ours, theirs = _request(setup.client, "chat"), _request(bare, "bench")
    count = 20 if setup.scale is SMOKE else STREAMS
    setup.service.start_chat()
    apart = Client(setup.client.host, setup.service.chat_port, setup.client.key)
    _run(setup.client, ours, count)  # what the first request loads, and the people
    _run(apart, ours, count)
    firsts = [(_first(bare, theirs), _first(setup.client, ours)) for _ in range(5 * setup.scale.rounds)]
    direct = _run(bare, theirs, count)
    passed = _passed(theirs, count)

    streams, cpu = cpu_during(setup.service.processes, lambda: _run(setup.client, ours, count))
    runs, alone, beside, elsewhere = _contexts_beside(setup, apart, ours, count)
    runs.append(streams)
    ends = [one["end"] for one in streams["streams"]]
    complete = sum(one["whole"] for run in runs for one in run["streams"])
    how = (
        f"A model of its own process that streams {WORDS} words, {1000 * PAUSE_SECONDS:g} ms apart. One client asks it "
        f"directly and through us in turn; then {count} streams at once, of {count} people; the same through a process "
        "that only copies bytes; then contexts alone, beside as many of the same server processes, and of a second "
        f"group, in {setup.scale.rounds} rounds of a second each, taken together."
    )
    figures = [
        of_rounds("first word, without us", [bare_one for bare_one, _ in firsts], "ms"),
        of_rounds(
            "first word, later with us", [mine - bare_one for bare_one, mine in firsts], "ms", Goal(15)
        ),
        Figure(
            f"of {len(runs) * count} streams, complete",
            complete,
            "",
            goal=Goal(len(runs) * count, at_most=False),
        ),
        Figure("first word of many, without us, p50", _p50_first(direct), "ms"),
        Figure("first word of many, with us, p50", _p50_first(streams), "ms"),
        Figure("end of many, p50", p50(ends), "ms"),
        *_costs(cpu, passed, count),
        Figure("a context alone, p99", alone, "ms"),
        Figure("a context beside streams of the same processes, p99", beside, "ms"),
        Figure("a context beside streams of the second group, p99", elsewhere, "ms"),
        Figure("second group / alone", elsewhere / alone, "x", goal=Goal(2)),
    ]
    return Section("chat", "Replies", how, figures)


def _contexts_beside(
    setup: Setup, apart: Client, request: str, count: int
) -> tuple[list[dict[str, Any]], float, float, float]:
    """The runs of streams, and p99s in ms of contexts: alone, beside streams of the same processes, of `apart`.

    Of all rounds together: of the hundred contexts of one, the p99 is nearly the slowest.
    """
    runs: list[dict[str, Any]] = []
    alone, beside, elsewhere = list[float](), list[float](), list[float]()

    def contexts() -> list[float]:
        seconds = WORDS * PAUSE_SECONDS
        return setup.client.drive([setup.context_request()], connections=1, seconds=seconds).milliseconds

    for _ in range(setup.scale.rounds):
        alone += contexts()
        for client, taken in ((setup.client, beside), (apart, elsewhere)):
            streams = _start(client, request, count)
            time.sleep(0.5)  # the streams are under way as the contexts begin
            taken += contexts()
            runs.append(_finish(streams))
    return runs, percentile(alone, 0.99), percentile(beside, 0.99), percentile(elsewhere, 0.99)


def _costs(cpu: Mapping[str, float], passed: float, replies: int) -> list[Figure]:
    """CPU milliseconds a reply, of seconds of all."""
    bare, web, database = (1000 * seconds / replies for seconds in (passed, cpu["web"], cpu["database"]))
    return [
        Figure("CPU of a bare pass-through, a reply", bare, "ms"),
        Figure("CPU of the web server, a reply", web, "ms"),
        Figure("CPU of the web server, a reply, more than that", web - bare, "ms", goal=Goal(15)),
        Figure("CPU of the database, a reply", database, "ms"),
    ]


def _model() -> Client:
    """Who asks it without us."""
    address = urlsplit(os.environ["BENCH_STREAM_URL"])
    return Client(str(address.hostname), int(address.port or 0), "none")


def _passed(request: str, count: int) -> float:
    """CPU seconds of a process that passes all on to the model, and back."""
    command = [sys.executable, "-m", "benchmarks.streams", "pass", os.environ["BENCH_STREAM_URL"]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        try:
            client = Client(str(address.hostname), int(address.port or 0), "none")
            _run(client, request, 8)
            processes = {"it": [psutil.Process(process.pid)]}
            _, used = cpu_during(lambda: processes, lambda: _run(client, request, count))
            return used["it"]
        finally:
            process.terminate()


def _request(client: Client, model: str) -> str:
    body = {
        "model": model,
        "user": "person NNNN",
        "stream": True,
        "messages": [{"role": "user", "content": _SAID}],
    }
    return client.request("POST", "/v1/chat/completions", body)


def _first(client: Client, request: str) -> float:
    first: float = _run(client, request, 1)["streams"][0]["first"]
    return first


def _run(client: Client, request: str, count: int) -> dict[str, Any]:
    return _finish(_start(client, request, count))


def _start(client: Client, request: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "benchmarks.streams", "load"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    json.dump({"host": client.host, "port": client.port, "request": request, "count": count}, process.stdin)
    process.stdin.close()
    return process


def _finish(process: "subprocess.Popen[str]") -> dict[str, Any]:
    assert process.stdout is not None
    with process.stdout as output:
        told: dict[str, Any] = json.loads(output.read())
    process.wait()
    return told


def _p50_first(run: dict[str, Sequence[Any]]) -> float:
    return p50([one["first"] for one in run["streams"]])
