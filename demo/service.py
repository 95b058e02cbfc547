"""Starts and stops the service, `manage.py serve`, in the background. It leaves a note that tells where it runs."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import psutil
from django.conf import settings

from config.serving import IN_BACKGROUND, AddressUnusable, Running, free_port, running_service
from demo.errors import DemoFailed

START_SECONDS = 300.0  # long, because the machine may be busy
TOLD_SECONDS = 30.0  # between progress messages
EMBED_SECONDS = 30.0
STOP_SECONDS = 60.0  # it first finishes the turns in progress
_TICK_SECONDS = 0.1
_VECTORS_OWED = re.compile(r"^rapport_vectors_owed\{.*?\} (\S+)$", re.MULTILINE)


def service() -> Running | None:
    """The service that runs here, by its note in the data folder."""
    return running_service(settings.DATA_DIR / "serve.json")


def service_log() -> Path:
    return Path(settings.DATA_DIR / "service.log")


def start_service(*, host: str, port: int, say: Callable[[str], None]) -> Running:
    """Start the service in the background and wait until it is ready. If `port` is taken, use the next free one.

    Raises DemoFailed, with the end of its log.
    """
    free = _free_port(host, port)
    if free != port:
        say(f"Port {port} is taken, so the service goes to {free}.")
    log = service_log()
    if log.exists():
        log.replace(log.with_suffix(".log.1"))
    # The caller has run the checks.
    command = [sys.executable, "manage.py", "serve", "--skip-checks", "--host", host, "--port", str(free)]
    log.parent.mkdir(parents=True, exist_ok=True)  # missing if the database is not the embedded one
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command, no shell
            command,
            cwd=settings.BASE_DIR,
            env={**os.environ, IN_BACKGROUND: "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        return _ready(process, say)
    except BaseException:
        process.terminate()
        raise


def stop_service() -> Running | None:
    """Stop the service and wait until it has ended. Returns it, or None if none ran. Raises DemoFailed."""
    found = service()
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
            f"The service (process {found.pid}) has not ended after {STOP_SECONDS:g} s; see {service_log()}."
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


def _ready(process: "subprocess.Popen[bytes]", say: Callable[[str], None]) -> Running:
    began = told_at = time.monotonic()
    why = "it does not answer"
    while (now := time.monotonic()) < began + START_SECONDS:
        if process.poll() is not None:
            raise DemoFailed(f"The service ended at once. {_end_of_log()}")
        found = service()
        if found is not None and found.pid == process.pid:
            told = readiness(found.url)
            if told.get("ready"):
                return found
            why = "; ".join(told.get("reasons", [])) or why
        if now > told_at + TOLD_SECONDS:
            told_at = now
            say(f"Not ready after {now - began:.0f} s: {why}.")
        time.sleep(_TICK_SECONDS)
    raise DemoFailed(f"The service was not ready after {START_SECONDS:g} s: {why}. {_end_of_log()}")


def _free_port(host: str, wanted: int) -> int:
    try:
        free = free_port(host, wanted)
    except AddressUnusable as error:
        raise DemoFailed(str(error)) from error
    if free is None:
        raise DemoFailed(f"No port from {wanted} on is free. Name another: make demo PORT=9000.")
    return free


def _end_of_log() -> str:
    log = service_log()
    lines = log.read_text(errors="replace").splitlines()[-12:] if log.exists() else []
    return "\n".join([f"The end of {log}:", *lines]) if lines else f"Its log is {log}."
