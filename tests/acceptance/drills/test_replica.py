"""Contexts from a standby that stands still, freezes and dies: each is answered, and none is older than it says."""

import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx
import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from behaviours.models import BehaviourRun
from config.checks import check_replica
from config.postgresql.replica import _PRIMARY
from config.postgresql.sessions import reading_from
from context.facts import Facts, read_facts
from relationships.models import ApiKey
from tests.acceptance.database import LiveDatabase, django_on
from tests.acceptance.processes import status_of
from tests.acceptance.service import LiveService
from tests.acceptance.standby import Standby, followed
from tests.fixtures.api import Api
from tests.fixtures.replica import replica_at
from tests.waiting import wait_until
from web.consistency import read_by

pytestmark = pytest.mark.drill

LIMIT = 0.5  # seconds
READERS = 3
WRITES_BESIDE = {"behaviours": {"named": {"nod": {"text": "Be brief."}}}}  # a row for each context
EVENTUAL = {"consistency": "eventual"}


@pytest.fixture
def standby(own_live: LiveService) -> Iterator[Standby]:
    # a short path, as its socket is in its folder
    with (
        tempfile.TemporaryDirectory(prefix="rapport-standby-", dir="/tmp") as folder,
        followed(own_live.database, Path(folder)) as standby,
    ):
        yield standby


class Watched:
    """Somebody changes a number, others read contexts and hold them against what was written when."""

    def __init__(self, http: httpx.Client, path: str) -> None:
        self._http, self._path = http, path
        self._written: list[float] = []  # by number: when it was there for everybody
        self._enough = threading.Event()
        self.problems: list[str] = []
        self.reads: list[tuple[str, str | None]] = []

    def write(self) -> None:
        for number in count():
            answer = self._http.patch(f"{self._path}/profile", json={"number": number})
            assert answer.status_code == 200, answer.text
            self._written.append(time.monotonic())
            if self._enough.wait(0.01):
                return

    def read(self) -> None:
        while not self._enough.wait(0.005):
            asked_at = time.monotonic()
            answer = self._http.post(f"{self._path}/context", json=EVENTUAL)
            search = self._http.post(f"{self._path}/entries/search", json={"query": "tea", **EVENTUAL})
            if {answer.status_code, search.status_code} != {200}:
                self.problems.append(answer.text + search.text)
                continue
            read = answer.json()["read"]
            at = asked_at - read["age_ms"] / 1000
            due = sum(written < at for written in list(self._written)) - 1
            seen = int(answer.json()["system"].partition("number: ")[2].split()[0] or -1) if due >= 0 else due
            if seen < due or read["age_ms"] > LIMIT * 1000:
                self.problems.append(f"{read}: {seen} was shown, {due} was written before that")
            self.reads.append((read["database"], read["reason"]))

    def wait_for(self, database: str, *reasons: str | None) -> None:
        """Until so many reads in a row were of that kind."""

        def so_it_is() -> bool:
            last = self.reads[-10:]
            return len(last) == 10 and all(where == database and why in reasons for where, why in last)

        wait_until(so_it_is, timeout=20, what=f"reads of the {database}: {Counter(self.reads[-50:])}")

    def end(self) -> None:
        self._enough.set()


@contextmanager
def watching(live: LiveService) -> Iterator[Watched]:
    (person,) = live.new_relationships(1)
    headers = {"Authorization": f"Bearer {live.new_api_key()}"}
    with httpx.Client(base_url=f"{live.web.url}/v1", headers=headers, timeout=30) as http:
        watched = Watched(http, f"/relationships/{person.id}")
        with ThreadPoolExecutor() as threads:
            tasks = [threads.submit(watched.write), *(threads.submit(watched.read) for _ in range(READERS))]
            try:
                yield watched
            finally:
                watched.end()
        for task in tasks:
            task.result()


def require_that_a_standby_that_stands_still_is_not_believed(live: LiveService, standby: Standby) -> None:
    """What is not there yet is asked of the primary, a key that was revoked opens nothing, and the check names what is
    missing. All within the limit: nobody could tell by its age.
    """
    known, api = live.new_relationships(1)[0], Api(live.new_api_key())
    assert api.post(f"/relationships/{known.id}/context").status == 200
    on_standby = "SELECT 1 FROM relationships_relationship WHERE id = %s"
    wait_until(lambda: standby.row(on_standby, known.id), what="the standby to follow")
    assert check_replica(databases=["default"]) == []
    standby.rows("SELECT pg_wal_replay_pause()")
    asked: list[str] = []

    def read() -> Facts:
        asked.append(reading_from())
        return read_facts(project_id=new.project_id, relationship_id=new.id, session="phone")

    (new,) = live.new_relationships(1)
    assert read_by("eventual", read)[1].reason == "failed"
    assert asked == ["replica", "default"]
    ApiKey.objects.update(revoked_at=timezone.now())
    assert api.post(f"/relationships/{known.id}/context", EVENTUAL).status == 401
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('web', '9', now())")
        (lacking,) = check_replica(databases=["default"])
        cursor.execute("DELETE FROM django_migrations WHERE name = '9'")
    assert lacking.msg == "The replica has another schema: it lacks web.9."
    standby.rows("SELECT pg_wal_replay_resume()")


def test_no_context_fails_or_is_older_than_the_limit_whatever_becomes_of_the_replica(
    standby: Standby, own_live: LiveService, live_database: LiveDatabase, settings: Settings
) -> None:
    settings.REPLICA_LIMIT_SECONDS = 3600
    live = own_live
    live.companion_config = WRITES_BESIDE
    with replica_at(HOST=standby.parameters["host"]):
        require_that_a_standby_that_stands_still_is_not_believed(live, standby)
    with django_on(live_database), replica_at(HOST=standby.parameters["host"], NAME=standby.name):
        assert "of another server" in check_replica(databases=["default"])[0].msg
    live.settings |= {"DATABASE_REPLICA_URL": standby.url, "RAPPORT_REPLICA_LIMIT_SECONDS": str(LIMIT)}
    live.start_web().wait_until_it_answers()

    with watching(live) as watched:
        watched.wait_for("replica", None)

        standby.rows("SELECT pg_wal_replay_pause()")
        watched.wait_for("primary", "behind")
        standby.rows("SELECT pg_wal_replay_resume()")
        watched.wait_for("replica", None)

        standby.send_all(signal.SIGSTOP)
        watched.wait_for("primary", "away", "failed")
        standby.send_all(signal.SIGCONT)
        watched.wait_for("replica", None)

        standby.kill_server()
        watched.wait_for("primary", "away", "failed")
        assert status_of(f"{live.web.url}/readyz") == 200
        assert "rapport_replica_fit 0.0" in httpx.get(f"{live.web.url}/metrics").text
        standby.start()
        watched.wait_for("replica", None)

        standby.rows("SELECT pg_promote()")
        histories = [server.rows(_PRIMARY)[0][2] for server in (standby, own_live.database)]
        assert histories[0] != histories[1], "told at once: they part here"
        watched.wait_for("primary", "foreign")

    assert watched.problems == []
    assert BehaviourRun.objects.count() >= len(watched.reads)
