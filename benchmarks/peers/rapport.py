"""Rapport over HTTP, as `manage.py serve` starts it, with two recipes."""

import html
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from django.conf import settings
from django.db import transaction

from benchmarks.client import Client
from benchmarks.peers.hosted.host import EMBEDDING_MODEL, MODEL, Call, Setup, Timed, Turn
from benchmarks.peers.model import vector_of
from benchmarks.peers.systems import Child, System
from benchmarks.seed import analyze, client_of, make_companion, make_relationships, remember, store_vectors
from benchmarks.service import HOST, Service, create_database, use_database
from benchmarks.timing import Processes
from config.rates import LIMITS
from relationships.models import Companion
from relationships.services.configuration import configuration_of

LEASE_SECONDS = 15  # how long a killed worker's turns stay claimed; the service's default is 180
_FENCED = re.compile(r"<(rapport_memory|user_memory)>\n(.*?)\n</\1>", re.DOTALL)
_TOLD = re.compile(r" \(told [^()]*\)$")
_FAILED = """
SELECT t.error FROM relationships_turn t JOIN relationships_relationship r ON r.id = t.relationship_id
  JOIN relationships_enduser u ON u.id = r.user_id WHERE u.external_id = %s AND t.state = 'failed'
"""
_django = threading.Lock()  # which database Django speaks to is the same for all threads


class Rapport(System):
    name, title = "rapport", "Rapport (HTTP, recipe scratchpad)"
    config: ClassVar[Mapping[str, Any]] = {"recipe": "scratchpad"}
    more: ClassVar[Mapping[str, str]] = {}  # settings
    settings = f"web server and worker as installed; RAPPORT_LEASE_SECONDS={LEASE_SECONDS}"

    @classmethod
    def version(cls) -> str:
        return f"this checkout, {json.dumps(cls.config)}"

    def start(self) -> None:
        self._paths: dict[str, tuple[str, str]] = {}
        create_database(self.database, template=str(settings.DATABASES["default"]["NAME"]))
        environment = {**_environment(self._setup()), **self.more}
        # the logs are searched after an erasure, as all below the folder
        self.service = Service(self.database, environment=environment, folder=self.folder)
        with _speaking_to(self.database):
            companion = make_companion("ada", dict(self.config))
            self._client = client_of(companion.project_id, self.service.port)
        self.start_again()

    def start_again(self) -> None:
        self._client = Client(HOST, self.service.port, self._client.key)  # none of the connections of before
        self.service.start_web()
        self.service.start_worker()

    def hand_over(self, user: str, messages: Turn, *, key: str | None = None) -> None:
        self._client.ask("POST", f"{self._path(user)}/turns", {"messages": messages}, key=key)

    def settle(self, seconds: float) -> None:
        self.service.settle(seconds)

    def fetch(self, user: str, question: str) -> list[str]:
        answer = self._client.ask("POST", f"{self._path(user)}/context", {"message": question})
        return shown_in(answer["system"])

    def stored(self, user: str) -> list[str]:
        path, found, cursor = f"{self._path(user)}/entries?state=active&limit=100", [], ""
        while True:
            page = self._client.ask("GET", path + cursor)
            found += [str(entry["content"]) for entry in page["items"]]
            if not page["next_cursor"]:
                return found
            cursor = f"&cursor={page['next_cursor']}"

    def failed(self, user: str) -> list[str]:
        return [row[0] for row in self.service.ask(_FAILED, user)]

    def delete_person(self, user: str) -> None:
        self._path(user)
        self._client.ask("DELETE", f"/v1/users/{self._paths.pop(user)[1]}")

    def purge(self) -> None:
        self.service.manage("purge", "--yes")

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        with _speaking_to(self.database):
            people = make_relationships(Companion.objects.get(), memories)
            values = configuration_of(people[0]).values
            found_by_words = values.retrieval.model_copy(update={"embedder": None})
            for person, texts in zip(people, memories.values(), strict=True):
                with transaction.atomic():  # or a worker would embed them meanwhile
                    entries = remember(person, texts, tier=values.ingestion.tier, retrieval=found_by_words)
                    if values.retrieval.embedder is not None:
                        vectors = (vector_of(text, self.dimensions) for text in texts)
                        store_vectors(entries, vectors, model=EMBEDDING_MODEL)
            analyze()

    def time(self, calls: Sequence[Call], clients: int) -> Timed:
        """By a load generator in a process of its own, over connections that are kept."""
        requests = [self._request(call) for call in calls]
        answers = self._client.drive(requests, connections=min(clients, len(requests)), count=len(requests))
        bad = {status: number for status, number in answers.statuses.items() if status not in (200, 202)}
        return Timed(answers.milliseconds, answers.seconds, [f"statuses {bad}"] if bad else [])

    def processes(self) -> Processes:
        return self.service.processes()

    def kill(self) -> None:
        if hasattr(self, "service"):
            self.service.kill()

    def _request(self, call: Call) -> str:
        what, name = ("context", "message") if call.verb == "fetch" else ("turns", "messages")
        return self._client.request("POST", f"{self._path(call.user)}/{what}", {name: call.given})

    def _path(self, user: str) -> str:
        """The relationship, got or made at the first call, as a developer's own table would know it."""
        if user not in self._paths:
            made = self._client.ask("POST", "/v1/relationships", {"companion": "ada", "user": user})
            self._paths[user] = (str(made["id"]), str(made["user"]["id"]))
        return f"/v1/relationships/{self._paths[user][0]}"


class RapportRetrieval(Rapport):
    name, title = "rapport-retrieval", "Rapport (HTTP, recipe two_call)"
    config: ClassVar[Mapping[str, Any]] = {"recipe": "two_call", "retrieval": {"top_k": 20}}


class RapportByMem0(Rapport):
    """As installed, asked by mem0's own client. What it holds is loaded as for the others."""

    name, title, packages = "rapport-mem0", "Rapport (as installed, by mem0's client)", ("mem0ai",)
    config: ClassVar[Mapping[str, Any]] = {}
    more: ClassVar[Mapping[str, str]] = {"RAPPORT_MEM0": "1", "RAPPORT_MEM0_COMPANION": "ada"}
    hand_over, fetch, stored = System.hand_over, System.fetch, System.stored
    delete_person, time = System.delete_person, System.time

    @classmethod
    def version(cls) -> str:
        return f"this checkout, {System.version.__func__(cls)}"  # type: ignore[attr-defined]

    def start_again(self) -> None:
        super().start_again()
        address = f"http://{HOST}:{self.service.port}/mem0"
        self._child = Child(self.folder, "mem0_http")
        setup = self._setup()._replace(database_url=address, key=self._client.key)
        self._child.call("start", setup, first=True)

    def kill(self) -> None:
        super().kill()
        System.kill(self)


def shown_in(system: str) -> list[str]:
    """What a context shows as remembered: the items between the fences, in their order, as they were remembered."""
    lines = [line for _, body in _FENCED.findall(system) for line in body.splitlines()]
    items = [line.removeprefix("- ").removeprefix("\\") for line in lines if line.startswith("- ")]
    return [html.unescape(_TOLD.sub("", item)) for item in items]


@contextmanager
def _speaking_to(database: str) -> Iterator[None]:
    """Django speaks to this database meanwhile, for all threads."""
    before = str(settings.DATABASES["default"]["NAME"])
    with _django:
        use_database(database)
        try:
            yield
        finally:
            use_database(before)


def _environment(setup: Setup) -> dict[str, str]:
    """Nothing of the caller's but what a program needs."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": setup.folder,
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "RAPPORT_DATA_DIR": setup.folder,
        "RAPPORT_PROCESS": "command",
        "RAPPORT_SECRET_KEY": "of the benchmark, which nobody else can reach",
        "RAPPORT_LLM_PROVIDER": "openai",
        "RAPPORT_EMBEDDING_PROVIDER": "openai",
        "RAPPORT_OPENAI_MODEL": MODEL,
        "RAPPORT_OPENAI_EMBEDDING_MODEL": EMBEDDING_MODEL,
        "RAPPORT_EMBEDDING_DIMENSIONS": str(setup.dimensions),
        # counted as in production, and never reached
        **{f"RAPPORT_RATE_{name.upper()}": "1000000/second" for name in LIMITS},
        "RAPPORT_LEASE_SECONDS": str(LEASE_SECONDS),
        "RAPPORT_PROVIDER_DEADLINE": str(LEASE_SECONDS),  # no call may outlast its lease
        "RAPPORT_EMBEDDING_DEADLINE": str(LEASE_SECONDS),
        "OPENAI_BASE_URL": setup.model_url,
        "OPENAI_API_KEY": setup.key,
    }
