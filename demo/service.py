"""Starts and stops the service, `manage.py serve`, in the background. It leaves a note that tells where it runs."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil

from config.serving import IN_BACKGROUND, AddressUnusable, Running, free_port, running_service
from demo.errors import DemoFailed

START_SECONDS = 300.0  # long, because the machine may be busy
TOLD_SECONDS = 30.0  # between progress messages
EMBED_SECONDS = 30.0
STOP_SECONDS = 60.0  # it first finishes the turns in progress
_TICK_SECONDS = 0.1
_VECTORS_OWED = re.compile(r"^rapport_vectors_owed\{.*?\} (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of a service: `root`, the checkout; `data`, RAPPORT_DATA_DIR."""

    root: Path
    data: Path

    @property
    def note(self) -> Path:
        return self.data / "serve.json"

    @property
    def log(self) -> Path:
        return self.data / "service.log"


def start_service(place: Place, *, host: str, port: int, say: Callable[[str], None]) -> Running:
    """Start the service in the background and wait until it is ready. If `port` is taken, use the next free one.

    Raises DemoFailed, with the end of its log.
    """
    free = _free_port(host, port)
    if free != port:
        say(f"Port {port} is taken, so the service goes to {free}.")
    if place.log.exists():
        place.log.replace(place.log.with_suffix(".log.1"))
    # The caller has run the checks.
    command = [sys.executable, "manage.py", "serve", "--skip-checks", "--host", host, "--port", str(free)]
    place.log.parent.mkdir(parents=True, exist_ok=True)  # missing if the database is not the embedded one
    with place.log.open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own command, no shell
            command,
            cwd=place.root,
            env={**os.environ, IN_BACKGROUND: "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        return _ready(place, process, say)
    except BaseException:
        process.terminate()
        raise


def stop_service(place: Place) -> Running | None:
    """Stop the service and wait until it has ended. Returns it, or None if none ran. Raises DemoFailed."""
    found = running_service(place.note)
    if found is None:
        return None
    try:
        process = psutil.Process(found.pid)
        process.terminate()
        process.wait(timeout=STOP_SECONDS)
    except psutil.NoSuchProcess:
        pass
    except psutil.AccessDenied as error:
        raise DemoFailed(
            f"The service (process {found.pid}) is another account's; stop it from there."
        ) from error
    except psutil.TimeoutExpired as error:
        raise DemoFailed(
            f"The service (process {found.pid}) has not ended after {STOP_SECONDS:g} s; see {place.log}."
        ) from error
    return found


def readiness(url: str) -> dict[str, Any]:
    """The answer of /readyz/worker; empty if the service does not answer."""
    try:
        answer = httpx2.get(f"{url}/readyz/worker", timeout=10.0, trust_env=False)
        body: dict[str, Any] = answer.json()
    except (httpx2.HTTPError, ValueError):
        return {}
    return body


def wait_until_embedded(url: str) -> None:
    """Wait until all texts have vectors, or EMBED_SECONDS are over; texts without a vector are found by their words."""
    until = time.monotonic() + EMBED_SECONDS
    while _vectors_owed(url) and time.monotonic() < until:
        time.sleep(_TICK_SECONDS)


def _vectors_owed(url: str) -> float:
    try:
        told = httpx2.get(f"{url}/metrics", timeout=10.0, trust_env=False).text
    except httpx2.HTTPError:
        return 0.0
    return sum(float(count) for count in _VECTORS_OWED.findall(told))


def _ready(place: Place, process: "subprocess.Popen[bytes]", say: Callable[[str], None]) -> Running:
    began = told_at = time.monotonic()
    why = "it does not answer"
    while (now := time.monotonic()) < began + START_SECONDS:
        if process.poll() is not None:
            raise DemoFailed(f"The service ended at once. {_end_of(place.log)}")
        found = running_service(place.note)
        if found is not None and found.pid == process.pid:
            told = readiness(found.url)
            if told.get("ready"):
                return found
            why = "; ".join(told.get("reasons", [])) or why
        if now > told_at + TOLD_SECONDS:
            told_at = now
            say(f"Not ready after {now - began:.0f} s: {why}.")
        time.sleep(_TICK_SECONDS)
    raise DemoFailed(f"The service was not ready after {START_SECONDS:g} s: {why}. {_end_of(place.log)}")


def _free_port(host: str, wanted: int) -> int:
    try:
        free = free_port(host, wanted)
    except AddressUnusable as error:
        raise DemoFailed(str(error)) from error
    if free is None:
        raise DemoFailed(f"No port from {wanted} on is free. Name another: make demo PORT=9000.")
    return free


def _end_of(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-12:] if log.exists() else []
    return "\n".join([f"The end of {log}:", *lines]) if lines else f"Its log is {log}."
