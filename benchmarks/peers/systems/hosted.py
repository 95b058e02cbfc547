"""A system in child processes of its own, spoken to in JSON lines (benchmarks.peers.hosted.host)."""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import psutil

from benchmarks.peers.places import PEERS_PYTHON, ROOT
from benchmarks.peers.systems.base import Call, House, Message, NotThere, Stores, System, Timed
from benchmarks.peers.systems.databases import create_database, drop_database, name_of

PROCESSES = 2  # as many as Rapport's web server has
_START_SECONDS = 120.0
_CALL_SECONDS = 600.0


class Failed(Exception):
    """What a call raised in the child, or that the child is gone."""


class Child:
    """One process. Calls may be made from several threads at once."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log.open("ab")
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._numbers, self._lock = count(1), threading.Lock()
        self._waiting: dict[int, Future[Any]] = {}
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def call(self, verb: str, *, seconds: float = _CALL_SECONDS, **given: Any) -> Any:
        """Raises Failed, NotThere, TimeoutError."""
        number, answer = next(self._numbers), Future[Any]()
        assert self.process.stdin is not None
        with self._lock:
            self._waiting[number] = answer
            try:
                self.process.stdin.write(json.dumps({"id": number, "verb": verb, "given": given}) + "\n")
                self.process.stdin.flush()
            except OSError:
                self._waiting.pop(number, None)
                raise Failed("the process has ended") from None
        return answer.result(seconds)

    def end(self, *, hard: bool = False) -> None:
        (self.process.kill if hard else self.process.terminate)()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._listener.join(10)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # what was left to be written has nobody to read it
                if pipe is not None:
                    pipe.close()
        self._log.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            answer = self._waiting.pop(told["id"], None)
            if answer is None:
                continue
            if "error" not in told:
                answer.set_result(told["value"])
            elif told["missing"]:
                answer.set_exception(NotThere(told["error"].partition(": ")[2]))
            else:
                answer.set_exception(Failed(told["error"]))
        while self._waiting:
            with self._lock:
                _, answer = self._waiting.popitem()
            answer.set_exception(Failed("the process was killed in mid-call"))


class Hosted(System):
    """PROCESSES children, which share the calls, as the processes of a web server would."""

    module: ClassVar[str]
    python: ClassVar[Path] = PEERS_PYTHON
    count: ClassVar[int] = PROCESSES
    children: list[Child]

    def start(self, house: House) -> None:
        if not self.python.exists():
            raise NotThere("its environment is not there: make bench-peers makes it")
        self.house, self.children = house, []
        self.database_url = self._make_database()
        self._begin(self.count, first=True)

    def start_again(self) -> None:
        self._begin(self.count, first=False)

    def add_workers(self, count: int) -> None:
        """As many processes as asked write at once."""
        if count > len(self.children):
            self._begin(count - len(self.children), first=False)

    def hand_over(
        self, user: str, messages: Sequence[Message], *, at: datetime | None = None, key: str | None = None
    ) -> None:
        told = [{"role": message.role, "content": message.content} for message in messages]
        self._call("hand_over", user=user, messages=told, at=at.isoformat() if at else None, key=key)

    def settle(self, timeout: float) -> None:
        """It remembers before `hand_over` returns."""

    def fetch(self, user: str, question: str) -> list[str]:
        return list(self._call("fetch", user=user, question=question))

    def stored(self, user: str) -> list[str]:
        return list(self._call("stored", user=user))

    def delete_person(self, user: str) -> None:
        self._call("delete_person", user=user)

    def purge(self) -> None:
        self._call("purge")

    def load(self, memories: Mapping[str, Sequence[str]]) -> None:
        self._call("load", memories={user: list(texts) for user, texts in memories.items()})

    def stores(self) -> Stores:
        return Stores([self.database_url], [self.house.folder])

    def processes(self) -> list[psutil.Process]:
        return [psutil.Process(child.process.pid) for child in self.children]

    def kill(self) -> None:
        children, self.children = self.children, []
        for child in children:
            child.process.kill()
        for child in children:
            child.end(hard=True)

    def stop(self) -> None:
        for child in getattr(self, "children", []):
            child.end()
        if hasattr(self, "database_url"):
            drop_database(self.house, name_of(self.house))

    def time(self, calls: Sequence[Call], *, clients: int) -> Timed:
        """Several clients are shared among the processes; one is served by one of them."""
        used = self.children[: min(clients, self.count)]
        shares = [[_told(call) for call in calls[place :: len(used)]] for place in range(len(used))]
        with ThreadPoolExecutor(len(used)) as pool:
            answers = [
                pool.submit(child.call, "time", calls=share, clients=max(1, clients // len(used)))
                for child, share in zip(used, shares, strict=True)
            ]
        told = [answer.result() for answer in answers]
        return Timed(
            [took for part in told for took in part["milliseconds"]],
            max(part["seconds"] for part in told),
            [failure for part in told for failure in part["failures"]],
        )

    def _make_database(self) -> str:
        return create_database(self.house, name_of(self.house))

    def _environment(self) -> dict[str, str]:
        """Nothing of the caller's but what a program needs: no key, no proxy, no setting of a vendor."""
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.house.folder), "PYTHONUNBUFFERED": "1"}

    def _command(self) -> list[str]:
        return [str(self.python), "-m", self.module]

    def _options(self) -> dict[str, Any]:
        return {}

    def _begin(self, count: int, *, first: bool) -> None:
        log = self.house.folder / "children.log"  # searched after an erasure, as all below the folder
        new = [Child(self._command(), self._environment(), log) for _ in range(count)]
        self.children = [*self.children, *new]
        house = {
            "database_url": self.database_url,
            "folder": str(self.house.folder),
            "model_url": self.house.model_url,
            "model_name": self.house.model_name,
            "embedding_model": self.house.embedding_model,
            "dimensions": self.house.dimensions,
            "key": self.name,
            "options": self._options(),
        }
        self.told = new[0].call("start", house=house, first=first, seconds=_START_SECONDS)
        for child in new[1:]:
            child.call("start", house=house, first=False, seconds=_START_SECONDS)

    def _call(self, verb: str, **given: Any) -> Any:
        """By the process whose turn it is."""
        children = self.children
        if not children:
            raise Failed("it was killed")
        self._turn = (getattr(self, "_turn", -1) + 1) % len(children)
        return children[self._turn].call(verb, **given)


def _told(call: Call) -> dict[str, Any]:
    messages = [{"role": message.role, "content": message.content} for message in call.messages]
    return {"verb": call.verb, "user": call.user, "question": call.question, "messages": messages}
