"""The whole service, traced: one trace from a request to what became of it, and nobody's words in it."""

from collections.abc import Iterator

import httpx
import openai
import pytest

from relationships.models import Companion, EndUser, Relationship
from tests.acceptance.service import LiveService
from tests.fixtures.turns import add, answer
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.otlp_receiver import OtlpReceiver, Span, children
from tests.waiting import wait_until

SECRET = "xylophagous"
PARENT = "00f067aa0ba902b7"
TURN, CONTEXT, REPLY, REFUSED = (f"{number:032x}" for number in range(1, 5))
OPENMETRICS = {"Accept": "application/openmetrics-text"}


def words_everywhere(trace: str) -> dict[str, str]:
    """Headers that name the trace, and say the secret wherever a header may."""
    return {
        "traceparent": f"00-{trace}-{PARENT}-01",
        "tracestate": f"vendor={SECRET}",
        "baggage": f"user={SECRET}",
        "User-Agent": SECRET,
        "Referer": f"https://{SECRET}.example/{SECRET}",
    }


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with OtlpReceiver() as receiver:
        yield receiver


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    """Fails the first question, and remembers what the second is about."""
    with OpenAIServer() as model:
        model.push({"status": 500, "message": f"{SECRET} fell over"})
        model.push({"json": answer(add(f"Is {SECRET}"))})
        yield model


@pytest.fixture
def relationship(live: LiveService, receiver: OtlpReceiver, model: OpenAIServer) -> Relationship:
    """Of a service that is traced, between two whose names say the secret."""
    live.settings |= {
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": SECRET,
        "RAPPORT_LLM_PROVIDER": "openai",
        "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
        "OTEL_BSP_SCHEDULE_DELAY": "60000",
        "RAPPORT_RETRY_BASE_SECONDS": "0.05",
    }
    (relationship,) = live.new_relationships(1)
    Companion.objects.update(name=SECRET.title())
    EndUser.objects.update(display_name=SECRET, external_id=SECRET)
    live.start_worker()
    live.start_web()
    live.wait_until_ready()
    return relationship


@pytest.fixture
def traces(
    live: LiveService, relationship: Relationship, receiver: OtlpReceiver, model: OpenAIServer
) -> dict[str, list[Span]]:
    """What was received of a turn that a model read at the second try, a context, a streamed reply, and mistakes."""
    key = live.new_api_key()
    ask(f"{live.web.url}/v1", key, f"/relationships/{relationship.id}")
    converse(f"{live.web.url}/v1", key)
    live.wait_until_settled(live.turns(relationship))

    wait_until(
        lambda: f'trace_id="{TURN}"' in httpx.get(f"{live.web.url}/metrics", headers=OPENMETRICS).text,
        what="the turn's trace beside its time",
    )
    assert TURN in next(seen.headers["traceparent"] for seen in model.requests)
    assert not any(SECRET in str(seen.headers.get("tracestate")) for seen in model.requests)
    live.worker.stop()  # each sends what it has when it ends, and nothing before
    live.web.stop()
    assert SECRET.encode() not in b"".join(receiver.bodies).lower()
    return {trace: receiver.trace(trace) for trace in (TURN, CONTEXT, REPLY, REFUSED)}


def ask(url: str, key: str, path: str) -> None:
    said = {"role": "user", "content": f"I am {SECRET}.", "metadata": {SECRET: SECRET}}
    turn = {"messages": [said], "session": SECRET, "tags": {"mood": SECRET}, "category": SECRET}
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        client.get(path)  # from now on the key is known
        told = client.post(f"{path}/turns?wait=20", json=turn, headers=words_everywhere(TURN))
        assert told.json()["state"] == "applied", told.text
        asked = {"message": f"Am I {SECRET}?", "session": SECRET}
        assert client.post(f"{path}/context", json=asked, headers=words_everywhere(CONTEXT)).is_success
        for method, mistaken in (("GET", f"/{SECRET}?{SECRET}={SECRET}"), (SECRET.upper(), path)):
            assert client.request(method, mistaken, headers=words_everywhere(REFUSED)).is_error
        assert client.post(f"{path}/context?{SECRET}=1", headers=words_everywhere(REFUSED)).is_error


def converse(url: str, key: str) -> None:
    stream = openai.OpenAI(base_url=url, api_key=key).chat.completions.create(
        model="ada",
        user=SECRET,
        messages=[{"role": "user", "content": f"Say {SECRET}."}],
        stream=True,
        extra_headers=words_everywhere(REPLY),
    )
    assert SECRET in "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)


def test_each_request_is_one_trace_to_its_end_and_says_nobodys_words(traces: dict[str, list[Span]]) -> None:
    turn = traces[TURN]
    (request,) = [span for span in turn if span.parent == PARENT]
    assert request.name.startswith("POST /v1/relationships/<uuid:relationship_id>/turns")
    steps = [name for name in children(turn, request) if name != "wait for a worker"]
    assert steps[0] == "wait for a thread"
    assert steps.index("INSERT relationships_turn") < steps.index("COMMIT") < steps.index("read turns")
    failed, read = [span for span in turn if span.name == "read turns"]
    assert {failed.service, failed.parent, read.parent} == {"rapport-worker", request.id}
    assert (failed.failed, failed.attributes["error.type"]) == (True, "unavailable")
    assert (read.failed, read.attributes["rapport.outcome"], read.attributes["rapport.attempts"]) == (
        False,
        "applied",
        1,
    )
    asked = next(span for span in turn if span.parent == read.id and span.name.startswith("chat "))
    assert asked.attributes["gen_ai.usage.input_tokens"] > 0
    (sent,) = [span for span in turn if span.parent == asked.id]
    assert (sent.name, sent.attributes["http.response.status_code"]) == ("POST", 200)
    applied = next(span for span in turn if span.parent == read.id and span.name == "apply operations")
    assert applied.attributes["rapport.revisions"] == 1
    assert children(turn, applied)[-1] == "COMMIT"
    assert {span.parent for span in turn if span.name == "memory.tasks.drain"} == {request.id}

    (request,) = [span for span in traces[CONTEXT] if span.parent == PARENT]
    assert {"wait for a thread", "layer memory"} <= set(children(traces[CONTEXT], request))

    (request,) = [span for span in traces[REPLY] if span.parent == PARENT]
    (reply,) = [span for span in traces[REPLY] if span.parent == request.id and span.name.startswith("chat ")]
    assert reply.attributes["gen_ai.usage.output_tokens"] > 0
    assert {"wait for a connection", "COMMIT", "read turns"} <= set(children(traces[REPLY], request))

    assert sorted(span.name for span in traces[REFUSED] if span.parent == PARENT) == [
        "GET",
        "HTTP /v1/relationships/<uuid:relationship_id>",
        "POST /v1/relationships/<uuid:relationship_id>/context",
    ]
