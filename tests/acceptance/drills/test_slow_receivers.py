"""A project's receivers of events are slow, silent or dead: another project's event is delivered all the same."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from threading import Event
from uuid import uuid4

import pytest

from connect.models import EventDelivery
from memory.entries.adding import add_entry
from memory.models import EntrySource
from relationships.models import Companion, Relationship
from relationships.services.projects import create_project
from tests.acceptance.drills.talk import scaled
from tests.acceptance.service import TESTER, LiveService
from tests.fixtures.people import meet
from tests.loopback import Loopback
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

OWED = scaled(100, 5000)
READERS = 8
EVENTS = 12
MOST_SECONDS = 7


class Receiver:
    """Answers after `seconds`, or once the test is over."""

    def __init__(self, seconds: float) -> None:
        self.calls, self.over, self.seconds = 0, Event(), seconds

    def has_heard(self, calls: int) -> bool:
        return self.calls >= calls

    @contextmanager
    def listening(self) -> Iterator[str]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                receiver.calls += 1
                receiver.over.wait(receiver.seconds)
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        with Loopback(Handler) as server:
            try:
                yield f"{server.url}/hook"
            finally:
                self.over.set()


@contextmanager
def nobody() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    yield f"http://127.0.0.1:{port}/hook"


def somebody_who_listens(url: str) -> Companion:
    project = create_project(name="Another", by=TESTER)
    config = {"events": {"webhook": {"url": url}}}
    return Companion.objects.create(project=project, slug="eve", name="Eve", config=config)


def learn(relationship: Relationship) -> None:
    values = {"content": f"Likes {uuid4()}", "type": "other"}
    add_entry(relationship=relationship, values=values, by=TESTER, source=EntrySource.MANUAL)


RECEIVERS: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "slow": Receiver(2.0).listening,
    "silent": Receiver(600.0).listening,
    "dead": nobody,
}


@pytest.mark.parametrize("receiving", RECEIVERS.values(), ids=RECEIVERS)
def test_receivers_of_one_project_do_not_keep_anothers_events_waiting(
    receiving: Callable[[], AbstractContextManager[str]], live: LiveService
) -> None:
    quick = Receiver(0.0)
    with receiving() as flooded_url, quick.listening() as url:
        flooded = somebody_who_listens(flooded_url)
        for _ in range(OWED):
            learn(meet(flooded))
        live.start_worker(
            RAPPORT_WORKERS="1", RAPPORT_READERS=str(READERS), RAPPORT_ALLOW_PRIVATE_ADDRESSES="1"
        )
        flood = EventDelivery.objects.filter(project_id=flooded.project_id)
        wait_until(lambda: flood.exclude(leased_by="").exists(), timeout=40, what="the flood to be delivered")

        other = meet(somebody_who_listens(url))
        for number in range(1, EVENTS + 1):
            learn(other)
            # Far less than the flood's time: one call of it, and what the pool has in its hands already.
            arrived = partial(quick.has_heard, number)
            wait_until(
                arrived, timeout=MOST_SECONDS, what=f"event {number}, beside {flood.count()} deliveries"
            )
