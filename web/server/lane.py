"""Where answers are made that take long and need no database: in threads of their own, each with its stream.

A request that only reads never waits behind them. Threads begin as they are needed, and stay.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue

from config import tracing
from web.leaving import Recipient, made_for
from web.server.admission import Client, FairQueue, Places
from web.server.body import Receive
from web.server.call import Answer, finish
from web.server.sending import Refused, until_gone

WAIT = "wait for a thread"  # in traces
_WAITING = 4  # times as many as there are threads: so many of one client may be under way or wait


class Lane:
    """`threads`: answers at once. A client has at most three quarters of them; more of its requests wait."""

    def __init__(self, threads: int) -> None:
        each = max(1, threads * 3 // 4)
        self._threads = threads
        self._queue = FairQueue(running_limit=each)
        self._places = Places(each=_WAITING * threads, together=4 * _WAITING * threads)

    async def make(self, answer: Answer, client: Client, receive: Receive) -> Answer:
        """The answer that `answer` was to become; its stream, if it has one, runs in the thread that made it.

        Who leaves meanwhile is noticed. Raises Refused.
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
                    _make(answer, lambda made: loop.call_soon_threadsafe(_settle, done, made))
            except BaseException as error:
                loop.call_soon_threadsafe(_settle, done, error)
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
    running.get()()  # the sender's: it hands each part over, and ends with the stream


def _settle(future: "asyncio.Future[Answer]", made: Answer | BaseException) -> None:
    if future.done():
        return
    if isinstance(made, BaseException):
        future.set_exception(made)
    else:
        future.set_result(made)
