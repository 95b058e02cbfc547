from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.peers.hosted.host import Peer, Turn


class Notebook(Peer):
    """Remembers in a list; refuses who is called "nobody"."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.known: set[str] = set()

    def start(self, house: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        return {}

    def prepare(self, user: str) -> None:
        self.known.add(user)

    def hand_over(self, user: str, messages: Turn, at: str | None, key: str | None) -> None:
        if user == "nobody":
            raise ValueError("nobody is known by that name")
        self.said += [message["content"] for message in messages]

    def fetch(self, user: str, question: str) -> list[str]:
        return self.said

    def stored(self, user: str) -> list[str]:
        return self.said

    def delete_person(self, user: str) -> None:
        self.said.clear()

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        self.said += [text for texts in memories.values() for text in texts]


def call(verb: str, user: str = "maya", text: str = "tea") -> dict[str, Any]:
    return {"verb": verb, "user": user, "question": text, "messages": [{"role": "user", "content": text}]}


def test_every_call_is_made_once_and_timed_whatever_the_number_of_clients() -> None:
    peer = Notebook()

    told = peer.time([call("hand_over", text=str(number)) for number in range(20)], clients=4)

    assert sorted(peer.said, key=int) == [str(number) for number in range(20)]
    assert len(told["milliseconds"]) == 20
    assert told["failures"] == []
    assert told["seconds"] > 0


def test_a_call_that_fails_is_told_and_the_others_go_on() -> None:
    peer = Notebook()

    told = peer.time([call("hand_over", user="nobody"), call("hand_over"), call("fetch")], clients=1)

    assert told["failures"] == ["ValueError: nobody is known by that name"]
    assert peer.said == ["tea"]


def test_everybody_is_known_before_the_first_call_is_timed() -> None:
    peer = Notebook()

    peer.time([call("fetch", user="maya"), call("fetch", user="ben")], clients=1)

    assert peer.known == {"maya", "ben"}
