"""A child for test_hosted.py: it answers with what it was asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.peers.hosted.host import Peer, Turn, serve


class Echo(Peer):
    def start(self, house: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
        return {}

    def hand_over(self, user: str, messages: Turn, at: str | None, key: str | None) -> None:
        raise ValueError("no room")

    def fetch(self, user: str, question: str) -> list[str]:
        return [user, question]

    def stored(self, user: str) -> list[str]:
        return []

    def delete_person(self, user: str) -> None:
        pass

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        pass


if __name__ == "__main__":
    serve(Echo())
