"""Run by the interpreter of an environment with mem0ai: many people at once, by its own client, unmodified."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from mem0 import MemoryClient

PEOPLE, SECONDS = int(os.environ["PEOPLE"]), 300
HOST = os.environ["RAPPORT_URL"] + "/mem0"
client = MemoryClient(api_key=os.environ["RAPPORT_API_KEY"], host=HOST)
stranger = MemoryClient(api_key=os.environ["STRANGERS_KEY"], host=HOST)


def person(number: int) -> dict[str, str]:
    return {"user_id": f"person-{number}"}


def with_coach(number: int) -> dict[str, list[dict[str, str]]]:
    return {"AND": [person(number), {"agent_id": "coach"}]}


def all_of(number: int) -> set[str]:
    return {one["memory"] for one in client.get_all(filters=person(number), page_size=200)["results"]}


def own(number: int) -> set[str]:
    return {f"The code word is W{number}Z.", f"Has a sister named Ana{number}q"}


def tell(number: int) -> None:
    """Add three memories: one stored unchanged, one said for the worker to read, and one for another companion."""
    kept = client.add(f"The code word is W{number}Z.", infer=False, **person(number))["results"][0]["id"]
    client.add([{"role": "user", "content": f"My sister is called Ana{number}q."}], **person(number))
    client.add(f"The coach's word is C{number}Z.", infer=False, agent_id="coach", **person(number))
    try:
        raise AssertionError(f"another project reads {stranger.get(kept)}")
    except Exception as refused:
        assert "not exist" in str(refused), refused


def look(number: int) -> None:
    deadline = time.monotonic() + SECONDS
    while len(found := all_of(number)) < 2 and time.monotonic() < deadline:
        pass
    assert found == own(number), (number, found)
    for words in ("code word", "sister"):
        hits = client.search(words, filters=person(number), top_k=200)["results"]
        assert {hit["memory"] for hit in hits} <= own(number), (number, words, hits)
        assert hits, (number, words)
    coachs = client.get_all(filters=with_coach(number))["results"]
    assert [one["memory"] for one in coachs] == [f"The coach's word is C{number}Z."], (number, coachs)
    assert stranger.get_all(filters=person(number))["results"] == []
    assert stranger.search("code word", filters=person(number))["results"] == []


def forget(number: int) -> None:
    if number % 3 == 0:
        client.delete_all(**person(number))


def look_again(number: int) -> None:
    assert all_of(number) == (set() if number % 3 == 0 else own(number)), number


def everybody(does: Callable[[int], None]) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(does, range(PEOPLE)))


stranger.add("Has a cat.", infer=False, user_id="person-0x")
for step in (tell, look, forget, look_again):
    began = time.monotonic()
    everybody(step)
    print(f"{step.__name__}: {PEOPLE} people in {time.monotonic() - began:.1f} s")
print("whole")
