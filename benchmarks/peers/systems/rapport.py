"""Rapport: over HTTP with two recipes, and called in process."""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from sys import executable
from time import monotonic
from typing import Any, ClassVar

import psutil

from benchmarks.client import Client
from benchmarks.peers.places import ROOT
from benchmarks.peers.shown import shown_in
from benchmarks.peers.systems.base import Call, House, Message, Stores, Timed
from benchmarks.peers.systems.hosted import Failed, Hosted
from benchmarks.peers.systems.rapport_service import LEASE_SECONDS, RapportService

_IDLE_SECONDS = 30.0  # the web server closes a connection after 75

_COMMON = {
    "lease": f"RAPPORT_LEASE_SECONDS={LEASE_SECONDS}, so that a killed worker's turns are soon another's",
    "all else": "defaults",
}


class RapportInProcess(Hosted):
    """accept_turn() and build_context() in two processes, a worker beside them."""

    name, title = "rapport-in-process", "Rapport (in process)"
    module = "benchmarks.peers.hosted.rapport_peer"
    python = Path(executable)
    kinds: ClassVar[Sequence[str]] = ("worker",)
    config: ClassVar[Mapping[str, Any]] = {"recipe": "scratchpad"}

    def version(self) -> str:
        asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
        try:
            done = subprocess.run(asked, capture_output=True, text=True)
        except OSError:  # no git: it came as an archive
            return "this checkout"
        return f"this checkout, {done.stdout.strip()}" if done.returncode == 0 else "this checkout"

    def settings(self) -> Mapping[str, str]:
        return {"hosted as": "2 processes with a thread for each client; 1 worker, pool of 4"} | _COMMON

    def start(self, house: House) -> None:
        self.service = RapportService(house, self.name)
        super().start(house)
        self.service.start(*self.kinds)

    def start_again(self) -> None:
        super().start_again()
        self.service.start(*self.kinds)

    def add_workers(self, count: int) -> None:
        self.service.add_workers(count)

    def settle(self, timeout: float) -> None:
        self.service.settle(timeout)

    def failed(self, user: str) -> list[str]:
        return self.service.failed(user)

    def purge(self) -> None:
        self.service.manage("purge", "--yes")

    def processes(self) -> list[psutil.Process]:
        return [*super().processes(), *self.service.processes()]

    def stores(self) -> Stores:
        return Stores([self.database_url], [self.house.folder])

    def kill(self) -> None:
        self.service.kill()
        super().kill()

    def stop(self) -> None:
        for child in getattr(self, "children", []):
            child.end()
        if hasattr(self, "service"):
            self.service.stop()

    def _make_database(self) -> str:
        return self.service.database_url

    def _environment(self) -> dict[str, str]:
        return self.service.environment

    def _options(self) -> dict[str, Any]:
        return {"config": dict(self.config)}


class Rapport(RapportInProcess):
    """The service as `manage.py serve` starts it. The one child only prepares rows and is asked for nothing else."""

    name, title = "rapport", "Rapport (HTTP, recipe scratchpad)"
    kinds = ("web server", "worker")
    count = 1

    def settings(self) -> Mapping[str, str]:
        return {
            "web server": "2 processes of 8 threads",
            "worker": "1, pool of 4",
            "configuration": json.dumps(self.config),
            **_COMMON,
        }

    def start(self, house: House) -> None:
        self._life = 1
        self._local, self._relationships = threading.local(), dict[str, tuple[str, str]]()
        super().start(house)
        self._key = str(self.told["key"])
        self._client = Client(self.service.address.host, self.service.address.port, self._key)

    def start_again(self) -> None:
        super().start_again()
        self._life += 1

    def hand_over(
        self, user: str, messages: Sequence[Message], *, at: datetime | None = None, key: str | None = None
    ) -> None:
        body = _turn(messages) | ({"occurred_at": at.isoformat()} if at else {})
        self._ask("POST", f"{self._path(user)}/turns", body, {"Idempotency-Key": key} if key else {})

    def fetch(self, user: str, question: str) -> list[str]:
        answer = self._ask("POST", f"{self._path(user)}/context", {"message": question})
        return shown_in(answer["system"])

    def stored(self, user: str) -> list[str]:
        path, found, cursor = f"{self._path(user)}/entries?state=active&limit=100", [], ""
        while True:
            page = self._ask("GET", path + cursor)
            found += [str(entry["content"]) for entry in page["items"]]
            if not page["next_cursor"]:
                return found
            cursor = f"&cursor={page['next_cursor']}"

    def delete_person(self, user: str) -> None:
        self._path(user)
        _, person = self._relationships.pop(user)
        self._ask("DELETE", f"/v1/users/{person}")

    def processes(self) -> list[psutil.Process]:
        return self.service.processes()

    def time(self, calls: Sequence[Call], *, clients: int) -> Timed:
        """By a load generator in a process of its own, over connections that are kept."""
        requests = [self._request(call) for call in calls]
        answers = self._client.drive(requests, connections=min(clients, len(requests)), count=len(requests))
        bad = [
            f"{count} x {status}" for status, count in answers.statuses.items() if status not in (200, 202)
        ]
        return Timed(answers.milliseconds, answers.seconds, bad)

    def _request(self, call: Call) -> str:
        path = self._path(call.user)
        if call.verb == "fetch":
            return self._client.request("POST", f"{path}/context", {"message": call.question})
        return self._client.request("POST", f"{path}/turns", _turn(call.messages))

    def _path(self, user: str) -> str:
        """The relationship, got or made at the first call, as a developer's own table would know it."""
        if user not in self._relationships:
            asked = {"companion": self.told["companion"], "user": user}
            made = self._ask("POST", "/v1/relationships", asked)
            self._relationships[user] = (str(made["id"]), str(made["user"]["id"]))
        return f"/v1/relationships/{self._relationships[user][0]}"

    def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """The answer's JSON. Raises Failed."""
        sent = {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": "application/json",
            **(headers or {}),
        }
        connection = self._connection()
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, sent)
            answer = connection.getresponse()
            told = answer.read()
        except (OSError, HTTPException) as problem:
            connection.close()
            raise Failed(f"{type(problem).__name__}: {problem}") from problem
        if answer.status >= 300:
            raise Failed(f"{answer.status}: {told[:200]!r}")
        return json.loads(told) if told else None

    def _connection(self) -> HTTPConnection:
        """This thread's own, kept until the service is killed, or it lay idle so long that the server may close it."""
        address, kept = self.service.address, getattr(self._local, "connection", None)
        now, used_at = monotonic(), getattr(self._local, "used_at", 0.0)
        self._local.used_at = now
        if kept is None or self._local.life != self._life or now - used_at > _IDLE_SECONDS:
            kept = self._local.connection = HTTPConnection(address.host, address.port, timeout=60)
            self._local.life = self._life
        connection: HTTPConnection = kept
        return connection


class RapportRetrieval(Rapport):
    name, title = "rapport-retrieval", "Rapport (HTTP, recipe two_call)"
    config: ClassVar[Mapping[str, Any]] = {"recipe": "two_call", "retrieval": {"top_k": 20}}


def _turn(messages: Sequence[Message]) -> dict[str, Any]:
    return {"messages": [{"role": message.role, "content": message.content} for message in messages]}
