"""Over real HTTP: the server in a thread, steered by the hand that the orchestrator uses."""

import base64
import json
import threading
from array import array
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from benchmarks.peers.facts import Change
from benchmarks.peers.model import Model
from benchmarks.peers.model_server import Mind, Server
from benchmarks.peers.vectors import vector_of

PROMPT = "Entries as they stand: none yet.\n\nNew messages (times in UTC):\n[1] Maya (user): Tea, please.\n\n"


@pytest.fixture
def model() -> Iterator[Model]:
    with Server(Mind()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield Model(server.url)
        server.shutdown()
        thread.join()


def ask(model: Model, path: str, body: dict[str, Any], key: str = "rapport") -> Any:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    with urlopen(Request(f"{model.url}{path}", json.dumps(body).encode(), headers), timeout=10) as answer:
        return json.loads(answer.read())


def complete(model: Model, prompt: str = f"{PROMPT}The operations, as JSON:", key: str = "rapport") -> Any:
    return ask(model, "/chat/completions", {"messages": [{"role": "user", "content": prompt}]}, key)


def test_it_says_what_it_was_taught_and_counts_by_system(model: Model) -> None:
    model.teach({"Tea, please.": [Change("Likes tea", type="preference")]})

    answer = complete(model)

    (operation,) = json.loads(answer["choices"][0]["message"]["content"])["operations"]
    assert (operation["op"], operation["content"], operation["messages"]) == ("add", "Likes tea", [1])
    assert model.counts("rapport").calls == 1
    assert model.counts("rapport").prompt_tokens == answer["usage"]["prompt_tokens"] > 0
    assert model.counts("mem0").calls == 0


def test_every_second_answer_is_broken_when_it_is_told_so(model: Model) -> None:
    model.teach({"Tea, please.": [Change("Likes tea")]})
    model.spoil(2)

    contents = [complete(model)["choices"][0]["message"]["content"] for _ in range(4)]

    json.loads(contents[0])
    for broken in contents[1::2]:
        with pytest.raises(ValueError):
            json.loads(broken)
    assert model.counts("rapport").malformed == 2


def test_vectors_come_as_numbers_or_as_base64(model: Model) -> None:
    wanted = {"input": ["tea", "coffee"], "model": "any", "dimensions": 64}

    numbers = ask(model, "/embeddings", wanted)["data"][1]["embedding"]
    encoded = ask(model, "/embeddings", {**wanted, "encoding_format": "base64"})["data"][1]["embedding"]

    assert numbers == pytest.approx(list(vector_of("coffee", 64)), abs=1e-6)
    assert array("f", base64.b64decode(encoded)) == vector_of("coffee", 64)
    counts = model.counts("rapport")
    assert (counts.embedding_calls, counts.embedded_texts) == (2, 4)


def test_vectors_that_were_written_already_count_for_nobody(model: Model) -> None:
    model.warm(["tea"], 64)

    assert model.counts("rapport").embedding_calls == 0
    assert len(ask(model, "/embeddings", {"input": "tea", "dimensions": 64})["data"]) == 1


def test_counts_are_forgotten_at_a_reset(model: Model) -> None:
    complete(model)

    model.reset()

    assert model.counts("rapport").calls == 0


def test_who_asks_in_no_known_way_is_refused(model: Model) -> None:
    with pytest.raises(HTTPError) as refused:
        complete(model, "Please remember something.")
    assert refused.value.code == 400
    refused.value.close()
