"""Notice that this server process was asked to stop: endless streams end, and no silent client holds it."""

import asyncio
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from web.server.body import Receive
from web.server.sending import Send

stopping = threading.Event()

_QUIET_SECONDS = 5  # without a request, in which the last answer reaches a slow client


async def live(
    receive: Receive, send: Send, *, requests: Callable[[], int], stop: Callable[[], None]
) -> None:
    """Speak ASGI's lifespan: watch for SIGTERM from the start. `requests`: how many are open. `stop`: called then."""
    await receive()
    _notice_stop(requests, stop)
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


def _notice_stop(requests: Callable[[], int], also: Callable[[], None]) -> None:
    """The server's own handler, which still runs, waits for each connection to be free; and a client that has sent half
    of a request's head keeps its own for a minute. So this process ends when none was open for _QUIET_SECONDS.
    """
    loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM)
    ending: list[asyncio.Task[None]] = []

    def stop(number: int, frame: Any) -> None:
        stopping.set()
        if callable(before):
            before(number, frame)
        if not ending:
            ending.append(loop.create_task(_end_when_quiet(requests, also)))

    signal.signal(signal.SIGTERM, stop)


async def _end_when_quiet(requests: Callable[[], int], also: Callable[[], None]) -> None:
    also()
    quiet = 0
    while quiet < _QUIET_SECONDS:
        await asyncio.sleep(1)
        quiet = 0 if requests() else quiet + 1
    sys.exit()
