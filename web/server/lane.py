"""Threads for answers that take long and need no database. Each thread also runs the stream of its answer.

So a request that only reads never waits behind them. Threads are started as needed, and stay.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue

from config import tracing
from web.disconnects import Recipient, made_for
from web.server.admission import Client, FairQueue, Places
from web.server.body import Receive, Refused
from web.server.call import Answer, finish
from web.server.sending import until_gone

WAIT = "wait for a thread"  # in traces
_WAITING = 4  # times the threads: how many answers of one client may be in the works or waiting


class Lane:
    """The lane. `threads`: answers at once, of which a client may have three quarters; its other requests wait."""

    def __init__(self, threads: int) -> None:
        each = max(1, threads * 3 // 4)
        self._threads = threads
        self._queue = FairQueue(running_limit=each)
        self._places = Places(each=_WAITING * threads, together=4 * _WAITING * threads)

    async def make(self, answer: Answer, client: Client, receive: Receive) -> Answer:
        """Make the answer of a LaterResponse. If it has a stream, that runs in the thread that made it.

        It notices if the client leaves meanwhile. Raises Refused.
        """
        if not self._places.take(client):
            raise Refused(
                429, "too_many_at_once", "As many replies are being made as may be. Try again in a moment."
            )
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Answer] = loop.create_future()
        recipient = Recipient()

        def job() -> None:
            try:
                with made_for(recipient):
                    _make(answer, lambda made: loop.call_soon_threadsafe(settle, done, made))
            except BaseException as error:
                loop.call_soon_threadsafe(settle, done, error)
            finally:
                self._places.give_back(client)

        self._queue.put(client, tracing.carried(job, wait=WAIT))
        self._queue.add_thread("chat", most=self._threads)
        if answer.made_to_the_end:
            return await done
        await _done_or_gone(done, receive, recipient)
        return replace(await done, leave=recipient.leave)


async def _done_or_gone(done: "asyncio.Future[Answer]", receive: Receive, recipient: Recipient) -> None:
    gone = asyncio.ensure_future(until_gone(receive))
    await asyncio.wait((done, gone), return_when=asyncio.FIRST_COMPLETED)
    if not done.done():
        recipient.leave()
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)


def _make(answer: Answer, tell: Callable[[Answer], object]) -> None:
    made = finish(answer)
    if made.stream is None:
        tell(made)
        return
    running: SimpleQueue[Callable[[], None]] = SimpleQueue()
    made.runner = running.put
    tell(made)
    running.get()()  # from the sender: it passes each part on, and returns at the stream's end


def settle(future: "asyncio.Future[Answer]", made: Answer | BaseException) -> None:
    """Pass on what a thread made, unless nobody waits for it any more. Called on the event loop."""
    if future.done():
        return
    if isinstance(made, BaseException):
        future.set_exception(made)
    else:
        future.set_result(made)
