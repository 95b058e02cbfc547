"""Rapport over HTTP, with the processes of `manage.py serve`, under two recipes."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.db import connections

from benchmarks.client import Client
from benchmarks.peers.hosted.host import EMBEDDING_MODEL, MODEL, Call, Timed, Turn
from benchmarks.peers.systems import System
from benchmarks.service import HOST, Service
from benchmarks.timing import Processes
from config.rates import LIMITS
from tests.acceptance.database import create_database

_MOST_ENTRIES = 200  # in a call
_FENCED = re.compile(r"<(rapport_memory|user_memory)>\n(.*?)\n</\1>", re.DOTALL)
_TOLD = re.compile(r" \(told [^()]*\)$")


class Rapport(System):
    name, title = "rapport", "Rapport (HTTP, recipe scratchpad)"
    config: ClassVar[Mapping[str, Any]] = {"recipe": "scratchpad"}
    tier = "scratchpad"  # where this recipe keeps new entries
    settings = "web server and worker as installed"

    @classmethod
    def version(cls) -> str:
        return f"this checkout, {json.dumps(cls.config)}"

    def start(self) -> None:
        self._paths: dict[str, tuple[str, str]] = {}
        connections.close_all()  # nobody may be connected to the template
        create_database(self.database, template=str(settings.DATABASES["default"]["NAME"]))
        self.service = Service(self.database, environment=self._environment(), folder=self.folder)
        told = self.service.manage("create_project", "Peers", "--key")
        (key,) = re.findall(r"rk_[\w-]+", told)
        self._client = Client(HOST, self.service.port, key)
        self.service.start_web()
        self.service.start_worker()
        companion = {"slug": "ada", "name": "Ada", "config": self.config}
        self._client.ask("POST", "/v1/companions", companion)

    def hand_over(self, user: str, messages: Turn) -> None:
        self._client.ask("POST", f"{self._path(user)}/turns", {"messages": messages})

    def settle(self, seconds: float) -> None:
        self.service.settle(seconds)

    def fetch(self, user: str, question: str) -> list[str]:
        answer = self._client.ask("POST", f"{self._path(user)}/context", {"message": question})
        return shown_in(answer["system"])

    def stored(self, user: str) -> list[str]:
        page = self._client.ask("GET", f"{self._path(user)}/entries?state=active&limit=100")
        assert page["next_cursor"] is None, "no story has as many"
        return [entry["content"] for entry in page["items"]]

    def failed(self, user: str) -> list[str]:
        page = self._client.ask("GET", f"{self._path(user)}/turns?state=failed&limit=100")
        return [turn["error"] for turn in page["items"]]

    def delete_person(self, user: str) -> None:
        self._path(user)
        self._client.ask("DELETE", f"/v1/users/{self._paths.pop(user)[1]}")

    def purge(self) -> None:
        self.service.manage("purge", "--yes")

    def remember(self, user: str, texts: Sequence[str]) -> None:
        """As for every system. The worker makes the vectors, if the configuration has an embedder."""
        alike = {"type": "other", "subject": "user", "tier": self.tier}
        entries = [{**alike, "content": text} for text in texts]
        for start in range(0, len(entries), _MOST_ENTRIES):
            some = entries[start : start + _MOST_ENTRIES]
            self._client.ask("POST", f"{self._path(user)}/entries/bulk", {"entries": some})

    def time(self, calls: Sequence[Call], clients: int) -> Timed:
        """As for every system, by a load generator in its own process with kept connections."""
        requests = [self._request(call) for call in calls]
        answers = self._client.drive(requests, connections=min(clients, len(requests)), count=len(requests))
        bad = {status: number for status, number in answers.statuses.items() if status not in (200, 202)}
        return Timed(answers.milliseconds, answers.seconds, [f"statuses {bad}"] if bad else [])

    def processes(self) -> Processes:
        return self.service.processes()

    def stop(self) -> None:
        if hasattr(self, "service"):
            self.service.close()
        super().stop()

    def _request(self, call: Call) -> str:
        what, name = ("context", "message") if call.verb == "fetch" else ("turns", "messages")
        return self._client.request("POST", f"{self._path(call.user)}/{what}", {name: call.given})

    def _environment(self) -> dict[str, str]:
        """The environment of the service's processes, without the caller's settings."""
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "RAPPORT_DATA_DIR": str(self.folder),
            "RAPPORT_PROCESS": "command",
            "RAPPORT_SECRET_KEY": "of the benchmark, which nobody else can reach",
            "RAPPORT_LLM_PROVIDER": "openai",
            "RAPPORT_EMBEDDING_PROVIDER": "openai",
            "RAPPORT_OPENAI_MODEL": MODEL,
            "RAPPORT_OPENAI_EMBEDDING_MODEL": EMBEDDING_MODEL,
            "RAPPORT_EMBEDDING_DIMENSIONS": str(self.dimensions),
            # high limits, so that requests are counted but never refused
            **{f"RAPPORT_RATE_{name.upper()}": "1000000/second" for name in LIMITS},
            "OPENAI_BASE_URL": self.model_url,
            "OPENAI_API_KEY": self.name,
        }

    def _path(self, user: str) -> str:
        """The relationship's path; its ID is kept, as in a developer's own table."""
        if user not in self._paths:
            made = self._client.ask("POST", "/v1/relationships", {"companion": "ada", "user": user})
            self._paths[user] = (str(made["id"]), str(made["user"]["id"]))
        return f"/v1/relationships/{self._paths[user][0]}"


class RapportRetrieval(Rapport):
    name, title = "rapport-retrieval", "Rapport (HTTP, recipe two_call)"
    config: ClassVar[Mapping[str, Any]] = {"recipe": "two_call", "retrieval": {"top_k": 20}}
    tier = "archive"


def shown_in(system: str) -> list[str]:
    """The entries between the fences of a context, in order, without the marks that were added to them."""
    lines = [line for _, body in _FENCED.findall(system) for line in body.splitlines()]
    items = [line.removeprefix("- ").removeprefix("\\") for line in lines if line.startswith("- ")]
    return [html.unescape(_TOLD.sub("", item)) for item in items]
