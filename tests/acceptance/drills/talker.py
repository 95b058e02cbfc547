"""Send turns by HTTP, whatever happens to the service meanwhile."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import uuid4

import httpx

from relationships.models import Relationship
from tests.acceptance.service import LiveService
from tests.waiting import wait_until


class Talker:
    """A client as we recommend it: one Idempotency-Key per turn, and retries."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self.answers: set[int] = set()

    def say(self, relationship: Relationship, text: str) -> str:
        """Send a turn until it is accepted; return its ID."""
        key = uuid4().hex

        def accepted() -> str | None:
            answer = self._send(relationship, text, key)
            if answer is None or answer.status_code == 503:
                return None
            assert answer.status_code == 202, answer.text
            turn_id: str = answer.json()["id"]
            return turn_id

        return str(wait_until(accepted, timeout=60, what="a turn to be accepted"))

    def _send(self, relationship: Relationship, text: str, key: str) -> httpx.Response | None:
        body = {"messages": [{"role": "user", "content": text}]}
        path = f"/relationships/{relationship.id}/turns"
        try:
            answer = self._http.post(path, json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            return None
        self.answers.add(answer.status_code)
        return answer


@contextmanager
def talking(live: LiveService, people: Sequence[Relationship]) -> Iterator[list[str]]:
    """In the block, send turns to these people in rotation. Yields the list of accepted turns' IDs."""
    accepted: list[str] = []
    enough = threading.Event()
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}

    def talk() -> None:
        with httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=30) as http:
            talker = Talker(http)
            while not enough.wait(0.02):
                number = len(accepted)
                accepted.append(talker.say(people[number % len(people)], f"fact {number}"))

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield accepted
    finally:
        enough.set()
        thread.join()
