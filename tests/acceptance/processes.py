"""Real processes of the service: started with their own environment, watched, stopped and killed.

They inherit only PATH from the tester's environment. The output of each goes to a file.
"""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil
from django.conf import settings

from tests.acceptance.database import LiveDatabase
from tests.waiting import PATIENCE, wait_until

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
STOP_SECONDS = 60.0
CLUSTER = 4  # processes of django-q2 itself

# Set to "", so that a developer's own .env does not set them.
_EMPTIED = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "RAPPORT_PLUGINS")
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")


def environment(database: LiveDatabase, **extra: str) -> dict[str, str]:
    """The environment of a process of the service: offline rules and this database, unless `extra` says otherwise."""
    return {
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
        **dict.fromkeys(_EMPTIED, ""),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "RAPPORT_SECRET_KEY": settings.SECRET_KEY,  # the test's tasks are signed with it
        "RAPPORT_ALLOW_EXTERNAL_PROVIDERS": "0",
        "RAPPORT_LLM_PROVIDER": "offline",
        "RAPPORT_WORKERS": "2",
        "RAPPORT_WEB_PROCESSES": "1",  # each takes seconds to start
        "RAPPORT_DEBUG": "0",
        **database.environment,
        **extra,
    }


# manage.py on a machine with this host name.
ELSEWHERE = """
import runpy, socket, sys
name = sys.argv.pop(1)
socket.gethostname = lambda: name
sys.argv[0] = "manage.py"
runpy.run_path("manage.py", run_name="__main__")
"""


class LiveProcess:
    """A started command, in a process session of its own."""

    def __init__(self, name: str, command: list[str], env: Mapping[str, str], log: Path) -> None:
        self.name, self.log_file = name, log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._process.pid
        self._seen: set[psutil.Process] = set()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    def family(self) -> list[psutil.Process]:
        """The process and everything that descends from it, the oldest first."""
        with suppress(psutil.NoSuchProcess):
            me = psutil.Process(self.pid)
            found = [me, *me.children(recursive=True)]
            self._seen.update(found)
            return found
        return []

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait(self, timeout: float = STOP_SECONDS) -> int:
        """Wait until it ends; return its exit status. AssertionError if it doesn't end."""
        try:
            return self._process.wait(timeout * PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"the {self.name} did not end in {timeout * PATIENCE:g} s:\n{self._tail()}"
            ) from None

    def stop(self, timeout: float = STOP_SECONDS) -> int:
        """Ask it to stop, wait until it ends, and return its exit status."""
        if self.running:
            self.send(signal.SIGTERM)
        return self.wait(timeout)

    def kill(self) -> None:
        """kill -9 this process only; what it started keeps running, as in reality."""
        self.family()
        self._process.kill()
        self._process.wait()

    def kill_all(self) -> None:
        """kill -9 the process and everything it started, including what it has lost track of."""
        self.family()
        self.kill()
        for process in self._seen:
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def require_running(self) -> None:
        assert self.running, f"the {self.name} ended with {self._process.returncode}:\n{self._tail()}"

    def _tail(self) -> str:
        return "\n".join(self.log.splitlines()[-40:])


class LiveWorker(LiveProcess):
    """`manage.py worker`. Its processes name themselves, see config.supervision."""

    def __init__(
        self, database: LiveDatabase, env: Mapping[str, str], log: Path, *options: str, machine: str = ""
    ) -> None:
        """`machine`: its host name, to act as a separate machine."""
        self._database = database
        start = ["-c", ELSEWHERE, machine] if machine else ["manage.py"]
        super().__init__("worker", [sys.executable, *start, "worker", *options], env, log)

    def readers(self) -> list[psutil.Process]:
        """The pool's processes that read turns."""
        return self._named("rapport-reader")

    def maintenance_processes(self) -> list[psutil.Process]:
        """The process that sweeps; none while it is being restarted."""
        return self._named("rapport-mainten")

    def maintenance(self) -> psutil.Process:
        return self.maintenance_processes()[0]

    def cluster(self) -> list[psutil.Process]:
        """django-q2's own processes: the cluster, its sentinel, and the monitor and the pusher."""
        return self._named("rapport-pool")

    @property
    def heartbeat(self) -> tuple[float, int] | None:
        """Seconds since this worker's last heartbeat, and how often its pool was restarted."""
        row = self._database.row(
            "SELECT extract(epoch FROM now() - beat_at)::float8, pool_restarts"
            " FROM relationships_workerheartbeat WHERE name LIKE %s",
            f"%:{self.pid}:%",
        )
        return (row[0], row[1]) if row else None

    def in_order(self, *, readers: int = 2) -> bool:
        """Return whether it had a heartbeat in the last seconds, and has a whole pool."""
        self.require_running()
        heartbeat = self.heartbeat
        return (
            heartbeat is not None
            and heartbeat[0] < 3
            and len(self.readers()) == readers
            and len(self.cluster()) == CLUSTER
        )

    def wait_until_in_order(self, *, readers: int = 2, timeout: float = START_SECONDS) -> None:
        wait_until(
            lambda: self.in_order(readers=readers), timeout=timeout, what=f"the worker\n{self._tail()}"
        )

    def _named(self, name: str) -> list[psutil.Process]:
        found = []
        for process in self.family():
            with suppress(psutil.NoSuchProcess):
                if process.name() == name and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return sorted(found, key=lambda process: (process.create_time(), process.pid))


class LiveWeb(LiveProcess):
    """The production web server on a port of its own."""

    def __init__(self, env: Mapping[str, str], log: Path) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        bind = self.url.removeprefix("http://")
        super().__init__("web server", [sys.executable, "manage.py", "web", "--bind", bind], env, log)

    def answers(self, path: str = "/healthz") -> bool:
        self.require_running()
        return status_of(self.url + path) == 200

    def wait_until_it_answers(self, path: str = "/healthz", *, timeout: float = START_SECONDS) -> None:
        wait_until(lambda: self.answers(path), timeout=timeout, what=f"200 from {path}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def status_of(url: str) -> int | None:
    """The HTTP status of a GET; None without an answer."""
    try:
        with urlopen(url, timeout=10) as answer:
            status: int = answer.status
            return status
    except URLError as error:
        return getattr(error, "code", None)
    except OSError:
        return None


def events_in(log: str) -> list[str]:
    """The names of the events that were logged, in order."""
    return re.findall(r"event_name=([\w.]+)", log)
