"""The real service for tests: start its parts, talk to it, and see what became of the turns."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from memory.ingestion.intake import accept_turn
from relationships.models import Companion, Project, Relationship, Turn
from relationships.services.api_keys import create_api_key
from relationships.services.projects import create_project
from relationships.services.turns import NewMessage, NewTurn
from tests.acceptance.database import LiveDatabase, django_on, empty
from tests.acceptance.processes import LiveProcess, LiveWeb, LiveWorker, environment
from tests.fixtures.people import meet
from tests.waiting import wait_until
from web.actor import Actor

TESTER = Actor.policy("test")
SETTLED = ("applied", "skipped", "failed")


class LiveService:
    """`settings`: environment variables for every process, in addition to the usual ones."""

    def __init__(self, database: LiveDatabase, folder: Path) -> None:
        self.database, self._folder = database, folder
        self.settings: dict[str, str] = {"RAPPORT_DATA_DIR": str(folder / "data"), **database.environment}
        self.processes: list[LiveProcess] = []
        self.companion_config: dict[str, Any] = {}
        self._project: Project | None = None

    # --- its parts

    def start_worker(self, *options: str, machine: str = "", **settings: str) -> LiveWorker:
        log = self._log("worker")
        worker = LiveWorker(self.database, self._environment(settings), log, *options, machine=machine)
        self.processes.append(worker)
        return worker

    def start_command(self, *words: str, **settings: str) -> LiveProcess:
        """Start `manage.py` with these arguments."""
        command = [sys.executable, "manage.py", *words]
        process = LiveProcess(words[0], command, self._environment(settings), self._log(words[0]))
        self.processes.append(process)
        return process

    def start_web(self, **settings: str) -> LiveWeb:
        web = LiveWeb(self._environment(settings), self._log("web"))
        self.processes.append(web)
        return web

    @property
    def worker(self) -> LiveWorker:
        """The newest worker."""
        return [process for process in self.processes if isinstance(process, LiveWorker)][-1]

    @property
    def web(self) -> LiveWeb:
        return [process for process in self.processes if isinstance(process, LiveWeb)][-1]

    def wait_until_ready(self) -> None:
        self.worker.wait_until_in_order()
        self.web.wait_until_it_answers("/readyz/worker")

    def end(self) -> None:
        for process in self.processes:
            process.kill_all()

    def logs(self) -> str:
        return "\n".join(file.read_text(errors="replace") for file in sorted(self._folder.glob("*.log")))

    # --- its people

    def with_a_project_of_its_own(self) -> "LiveService":
        """The same processes with a new project, so that tests don't affect each other."""
        mine = copy(self)
        mine._project, mine.companion_config, mine.processes = None, {}, list(self.processes)
        return mine

    @property
    def project(self) -> Project:
        self._project = self._project or create_project(name="Acceptance", by=TESTER)
        return self._project

    def new_api_key(self) -> str:
        scopes = ("read", "write", "admin")
        return create_api_key(project_id=self.project.id, name="test", scopes=scopes, by=TESTER)[1]

    def new_relationships(self, count: int) -> list[Relationship]:
        """Make `count` people, who all talk to the same companion."""
        project = self.project
        companion, _ = Companion.objects.get_or_create(
            project=project, slug="ada", defaults={"name": "Ada", "config": self.companion_config}
        )
        return [meet(companion) for _ in range(count)]

    # --- its turns

    def say(self, relationship: Relationship, *texts: str, at: datetime | None = None) -> Turn:
        """Accept a turn like POST /turns. Each text is a message of the user."""
        messages = [NewMessage("user", text) for text in texts]
        return accept_turn(relationship=relationship, new=NewTurn(messages, at or timezone.now())).turn

    def turns(self, relationship: Relationship) -> list[Turn]:
        """The turns, in the order in which they were accepted."""
        return list(Turn.objects.for_relationship(relationship.id).order_by("seq"))

    def state_of(self, turn: Turn) -> str:
        found: Turn = Turn.objects.for_relationship(turn.relationship_id).get(id=turn.id)
        return found.state

    def wait_until_settled(self, turns: Sequence[Turn], *, timeout: float = 30.0) -> list[str]:
        """Wait until each turn is applied, skipped or failed; return their states."""
        ids = [turn.id for turn in turns]

        def states() -> list[str]:
            try:
                found = dict(Turn.objects.filter(id__in=ids).values_list("id", "state"))
            except (OperationalError, InterfaceError):
                connection.close()  # the database is down, and will be back
                return ["unknown"]
            return [found[turn_id] for turn_id in ids]

        wait_until(
            lambda: all(state in SETTLED for state in states()),
            timeout=timeout,
            what=f"{len(ids)} turns to settle",
        )
        return states()

    def _environment(self, settings: dict[str, str]) -> dict[str, str]:
        return environment(self.database, **{**self.settings, **settings})

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}-{len(self.processes)}.log"


@contextmanager
def service_on(database: LiveDatabase, folder: Path) -> Iterator[LiveService]:
    """A service without processes yet, whose database the test's models use. At the end, stop what was started and empty
    the database.
    """
    with django_on(database):
        service = LiveService(database, folder)
        try:
            yield service
        finally:
            service.end()
            empty()
