"""The ASGI application that handles every request: admit it, read it completely, run it in a thread, send the answer.

Nothing on its event loop waits for Django, and nothing in its threads waits for a client.
"""

import asyncio
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from io import BytesIO
from time import perf_counter, sleep, thread_time
from typing import IO, Any

import structlog

from config import tracing
from config.postgresql.sessions import database_went_away
from web.errors import NotFound
from web.server.admission import Client, FairQueue, Places, share
from web.server.body import REPLIES, Bodies, Message, Receive, Refused, is_bulk, may_be_large, time_for
from web.server.call import Answer, Application, call, environ_of
from web.server.clients import CLIENT, Clients, is_probe
from web.server.computing import Computing, call_of
from web.server.lane import WAIT, Lane, settle
from web.server.sending import LARGE_EACH, LARGE_TOGETHER, Send, Sender
from web.stopping import live

log = structlog.get_logger(__name__)

# Makes the answer to a request that Django never saw, from its environ (PEP 3333, without body).
Refusal = Callable[[dict[str, Any], Refused], Answer]

_BULK_THREADS = 2
_CHATS = 4  # times the replies made at once: how many of one client may be open
_LONG_BODY = 131_072  # bytes; several times as long as what people say to each other
# After a long body, the client's next one waits this many times what it took; at most, in seconds.
_PAUSES, _LONGEST_PAUSE = 3, 0.25


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one process. `body`, `large_body`: bytes; `proxies`: how many are in front; the others: at once."""

    threads: int
    running_each: int
    open_each: int
    open_together: int
    streams: int
    chats: int
    body: int
    large_body: int
    proxies: int


@dataclass(slots=True)
class _Request:
    scope: Any
    receive_next: Receive  # the server's
    key: str  # as it was sent
    client: Client  # to which it counts
    length: int | None  # of its body; None: it comes in chunks
    proved: Client | None = None  # to whom its key belongs, once that is known; its answer counts to them
    read: bool = False
    ended: bool = False  # its end was received, which is a separate message

    async def receive(self) -> Message:
        message = await self.receive_next()
        self.ended = not message.get("more_body")
        return message

    async def receive_end(self) -> None:
        """Receive the request's end, before waiting for the client to leave: if that wait is cancelled before the end
        was received, the server reports that the client left.
        """
        while self.read and not self.ended:
            await self.receive()

    @property
    def path(self) -> str:
        return str(self.scope["path"])

    def lined_up(self, line: str) -> Client:
        """The client with a separate line of this name."""
        return self.client._replace(name=f"{self.client.name}, {line}")


class Gateway:
    """An ASGI 3 application for HTTP only, around a WSGI `application`. Its threads begin with the first request."""

    def __init__(self, application: Application, *, limits: Limits, refusal: Refusal) -> None:
        self._application, self._limits, self._refusal = application, limits, refusal
        self._clients = Clients(proxies=limits.proxies)
        self._queue = FairQueue(running_limit=limits.running_each)
        self._bulk_queue = FairQueue(running_limit=1)  # long work, which has its own threads
        self._chats = Lane(limits.chats)
        self._open_chats = Places(each=_CHATS * limits.chats, together=4 * _CHATS * limits.chats)
        self._open = Places(each=limits.open_each, together=limits.open_together)
        self._bodies = Bodies()
        self._large_bodies = Places(each=LARGE_EACH, together=LARGE_TOGETHER)
        self._sender = Sender(streams=limits.streams)
        self._giving_way = GivingWay()
        self._computing = Computing()
        self._requests = 0
        self._begun = False

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await live(receive, send, requests=lambda: self._requests, stop=self._bodies.stop)
        assert scope["type"] == "http", "the server speaks nothing else"
        if not self._begun:
            self._begin()
        self._requests += 1
        try:
            await self._handle(scope, receive, send)
        finally:
            self._requests -= 1

    async def _handle(self, scope: Any, receive: Receive, send: Send) -> None:
        request = self._identified(scope, receive)
        try:
            answer = await self._admitted(request)
            if answer.later is not None or answer.stream is not None:
                await request.receive_end()
            if answer.later is not None:
                answer = await self._chats.make(answer, request.proved or request.client, request.receive)
            await self._send(answer, request, send)
        except Refused as refused:
            environ = environ_of(scope, BytesIO(), 0, proxies=self._limits.proxies)
            await self._send(self._refusal(environ, refused), request, send)

    async def _send(self, answer: Answer, request: _Request, send: Send) -> None:
        unread = not request.read and request.length != 0
        client = request.proved or request.client
        await self._sender.send(answer, client=client, receive=request.receive, send=send, unread=unread)

    def _begin(self) -> None:
        self._begun = True
        for queue, count in ((self._queue, self._limits.threads), (self._bulk_queue, _BULK_THREADS)):
            for _ in range(count):
                queue.add_thread("request", most=count)

    def _identified(self, scope: Any, receive: Receive) -> _Request:
        key, forwarded = "", []
        length: int | None = 0
        for name, value in scope["headers"]:
            if name == b"authorization":
                key = value.decode("latin-1")
            elif name == b"content-length" and value.isdigit() and length is not None:
                length = int(value)
            elif name == b"transfer-encoding":
                length = None
            elif name == b"x-forwarded-for":
                forwarded.append(value.decode("latin-1"))
        remote = (scope.get("client") or ("",))[0]
        client = self._clients.name(scope["path"], key=key, remote=remote, forwarded=",".join(forwarded))
        return _Request(scope, receive, key, client, length)

    async def _admitted(self, request: _Request) -> Answer:
        places = self._open_chats if request.path in REPLIES else self._open
        if not places.take(request.client):
            most = share(self._limits.open_each) if request.client.person else self._limits.open_each
            detail = f"At most {most} requests of one client are open at once. Wait for one to end."
            raise Refused(429, "too_many_at_once", detail)
        try:
            return await self._answer(request)
        finally:
            places.give_back(request.client)

    async def _answer(self, request: _Request) -> Answer:
        length = request.length
        limit = self._limits.large_body if may_be_large(request.path) else self._limits.body
        if is_probe(request.path):
            # Don't wait for a body: all callers share the places of a probe, which one could occupy.
            return await self._run(request, BytesIO(), 0)
        if length is not None and length > limit:
            # Not read: the view sees its length, and refuses it once the key is known.
            return await self._run(request, BytesIO(), length)
        large = length is None or length > self._limits.body
        if large and not self._large_bodies.take(request.client):
            detail = f"At most {LARGE_EACH} large bodies are accepted at once. Wait for one to end."
            raise Refused(429, "too_many_at_once", detail)
        try:
            seconds = time_for(limit if length is None else length)
            with await self._bodies.read(
                request.receive, length=length, limit=limit, seconds=seconds
            ) as body:
                size = body.seek(0, 2)
                request.read = size <= limit
                body.seek(0)
                return await self._run(request, body, size)
        finally:
            if large:
                self._large_bodies.give_back(request.client)

    async def _run(self, request: _Request, body: IO[bytes], length: int) -> Answer:
        """Run the request in a thread, when it is this client's turn."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Answer] = loop.create_future()
        environ = environ_of(request.scope, body, length, proxies=self._limits.proxies)
        is_long = length > _LONG_BODY
        kind = call_of(request.client.name, request.scope["method"], request.path)
        gives_way = is_long or self._computing.gives_way(kind)

        def job() -> None:
            began, computed = perf_counter(), thread_time()
            try:
                with self._giving_way if gives_way else nullcontext():
                    answer = call(self._application, environ)
            except BaseException as error:
                loop.call_soon_threadsafe(settle, done, error)
                return
            finally:
                self._computing.note(kind, thread_time() - computed)
            request.proved = environ.get(CLIENT)
            if answer.status == 401 or CLIENT in environ:
                self._clients.learn(request.key, None if answer.status == 401 else environ[CLIENT])
            loop.call_soon_threadsafe(settle, done, answer)
            if is_long:
                sleep(min(_LONGEST_PAUSE, _PAUSES * (perf_counter() - began)))

        work = tracing.carried(job, wait=WAIT)
        if is_bulk(request.path):
            self._bulk_queue.put(request.client, work)
        elif is_long:  # parsing keeps Python busy: one at a time, in a separate line
            self._queue.put(request.lined_up("long bodies"), work, limit=1)
        elif self._computing.lines_up(kind):  # as such calls do
            self._queue.put(request.lined_up(kind[1]), work, limit=1)
        elif request.path in REPLIES:  # there may be many at once, and no context should wait behind them
            self._queue.put(request.lined_up("chats"), work, limit=share(self._limits.running_each))
        else:
            self._queue.put(request.client, work)
        try:
            return await done
        except NotFound as error:  # what an answer is read from was erased meanwhile, such as an export
            raise Refused(404, error.code, error.detail) from None
        except Exception as error:  # not handled by Django; its text may quote a person
            if database_went_away(error):  # while reading an answer in parts, such as an export
                raise Refused(
                    503, "database_unavailable", "The database went away. Try again shortly."
                ) from None
            log.error("a request crashed below Django", event_name="web.request.crashed", exc_info=error)
            raise Refused(500, "internal_error", "Something went wrong in Rapport. It was logged.") from None


class GivingWay:
    """While something is inside, threads that compute give way after 0.5 ms, instead of Python's 5 ms.

    Only for what computes for long, as each switch of threads costs time, and everything else is done by then.
    """

    def __init__(self) -> None:
        self._usual = sys.getswitchinterval()
        self._inside = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._change(+1)

    def __exit__(self, *error: object) -> None:
        self._change(-1)

    def _change(self, by: int) -> None:
        with self._lock:
            self._inside += by
            sys.setswitchinterval(0.0005 if self._inside else self._usual)
