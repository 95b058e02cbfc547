"""Answers the client while a reply is made: as one document, or as a stream. Both end by storing the turn."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import structlog
from django.db import close_old_connections, transaction
from prometheus_client import Counter, Gauge

from chat import badge
from chat.forgotten import is_gone
from chat.idempotency import again
from chat.problems import told
from chat.replies import Question, Reply
from chat.storing import Kept, keep_reply, tool_use_of
from chat.tools.definitions import WRITING
from chat.tools.run import Ran, run_tool
from chat.wire import AnswerForm, Told, usage_of
from config import tracing
from providers.errors import (
    ContentBlocked,
    ProviderError,
    ProviderTimeout,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
)
from providers.llm.chat import ChatPart
from relationships.models import Turn
from relationships.services.model_budgets import count_spending
from relationships.services.sequence import lock_relationship
from web.disconnects import nobody_waits
from web.errors import InvalidInput, RapportError, TooManyRequests, Unavailable, UpstreamFailed
from web.meters import OWN
from web.server.admission import Client, FairQueue

log = structlog.get_logger(__name__)
T = TypeVar("T")
WAIT = "wait for a connection"  # in traces
FORGOTTEN = "Something that you were shown has been forgotten since: nothing is stored during this reply."
DATABASE_THREADS = 4  # per process; each has a connection, besides those of the request threads
_ALL = Client("all")
_OPEN = Gauge("rapport_chat_open", "Replies in progress.", registry=OWN, multiprocess_mode="livesum")
_REPLIES = Counter("rapport_chat_replies", "Replies started.", registry=OWN)
_INTERRUPTED = Counter("rapport_chat_interrupted", "Replies interrupted.", registry=OWN)


class DatabaseThreads:
    """A few threads, each with its own database connection, that run database work for replies in progress.

    Hundreds of replies may end at once, and statements for contexts would have to wait behind theirs. So one job runs
    at a time, and another starts only if it takes long (web.server.admission).
    """

    def __init__(self) -> None:
        self._queue = FairQueue(running_limit=DATABASE_THREADS, young_limit=1)
        self._pool: ThreadPoolExecutor | None = None  # at exit, the process waits for running jobs

    def __call__(self, work: Callable[[], T]) -> T:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="chat-database")
        done: Future[T] = Future()

        def job() -> None:
            try:
                close_old_connections()
                result = work()
            except BaseException as error:
                done.set_exception(error)
            else:
                done.set_result(result)
            finally:
                close_old_connections()

        self._queue.put(_ALL, tracing.carried(job, wait=WAIT))
        self._pool.submit(self._queue.work_once)
        return done.result()


here = operator.call  # runs the work in this thread, which has a connection anyway
in_database_threads = DatabaseThreads()


class Answering:
    """One call of the endpoint. `in_database`: runs work that needs the database. `early`: see keep_reply."""

    def __init__(
        self,
        question: Question,
        form: AnswerForm,
        *,
        in_database: Callable[[Callable[[], Any]], Any],
        early: Turn | None = None,
    ) -> None:
        self._form, self._in_database, self._early = form, in_database, early
        self.question = question
        self.reply = Reply(question, run=partial(_run_tool, question, in_database))
        self._parts = self.reply.parts()
        self._kept: Kept | None = None

    def whole(self) -> dict[str, Any]:
        """Return the complete answer. Raises RapportError; then nothing is stored, except what a client who left had
        said.
        """
        _REPLIES.inc()
        with _OPEN.track_inprogress():
            try:
                for _ in self._parts:
                    pass
            except ProviderError as error:
                self.reply.forget()  # the client has not seen any of it
                self._model_failed()
                raise upstream_error(error) from error
            rapport = self._store_reply()
        kept = self._kept
        if kept and kept.repeated and kept.turn:  # answer with the stored reply
            earlier: dict[str, Any] = self._in_database(partial(again, self._form, kept.turn))
            return earlier
        return self._form.whole(self._told(), rapport)

    def begin(self) -> ChatPart:
        """Wait for the first part. Until then, an error can still be answered with its own status.

        Raises RapportError; then nothing is stored, except what a client who left had said.
        """
        try:
            return next(self._parts, ChatPart())
        except ProviderError as error:
            self._model_failed()
            raise upstream_error(error) from error

    def stream(self, first: ChatPart) -> Iterator[bytes]:
        """Yield the events, up to the end or an error. Closed if the client disconnects."""
        _REPLIES.inc()
        with _OPEN.track_inprogress():
            try:
                yield from self._form.begin(first)
                for part in self._parts:
                    yield from self._form.go_on(part)
                rapport = self._store_reply()  # before the client learns that the reply is complete
                yield from self._form.end(self._told(), rapport)
            except GeneratorExit:
                _INTERRUPTED.inc()
                self._keep_what_was_said()
                raise
            except Exception as error:
                _INTERRUPTED.inc()
                self._keep_what_was_said()
                if not nobody_waits():
                    yield self._error_event(error)
            finally:
                self._parts.close()

    def _told(self) -> Told:
        reply = self.reply
        usage = usage_of(reply.completions)
        return Told(reply.text, reply.refusal, reply.calls, reply.finish, usage, reply.logprobs)

    def _store_reply(self) -> dict[str, Any]:
        kept = self._kept = self._in_database(lambda: keep_reply(self.reply, early=self._early))
        turn = self._early or kept.turn
        wait = self.question.wait
        news = badge.wait_for(turn, wait, self._in_database) if turn and wait is not None else None
        return self._rapport(kept, news)

    def _rapport(self, kept: Kept, news: Mapping[str, Any] | None) -> dict[str, Any]:
        shown = [report for report in self.question.context.layers if report.name == "memory"]
        return {
            "turn_id": kept.turn and kept.turn.id,
            "context_id": kept.context_id,
            "entries": [source for report in shown for source in report.sources],
            "tools": [{"name": ran.name, "ok": ran.ok, "entries": ran.entry_ids} for ran in self.reply.ran],
            **({"repeated": True} if kept.repeated else {}),
            **(news or {}),
        }

    def _error_event(self, error: Exception) -> bytes:
        log.warning("a reply broke off", event_name="chat.reply.broke_off", exc_info=error)
        return self._form.broken(told(upstream_error(error) if isinstance(error, ProviderError) else error))

    def _keep_what_was_said(self) -> None:
        """Store the reply so far as a turn marked `interrupted`, at most once. A failure of this can only be logged."""
        if self._kept is not None:
            return
        try:
            self._kept = self._in_database(
                lambda: keep_reply(self.reply, interrupted=True, early=self._early)
            )
        except Exception as error:
            log.error(
                "a reply that broke off could not be stored", event_name="chat.reply.lost", exc_info=error
            )

    def _model_failed(self) -> None:
        """Handle a failure of the model. A client that waits can send the message again; if it has left, store the
        message.
        """
        if nobody_waits():
            self._keep_what_was_said()
            return
        project_id, asked = self.question.relationship.project_id, self.reply.completions
        self._in_database(lambda: count_spending(project_id, asked, answered=False, now=datetime.now(UTC)))


def _run_tool(
    question: Question,
    in_database: Callable[[Callable[[], Any]], Any],
    name: str,
    arguments: dict[str, Any],
    earlier: Sequence[Ran],
) -> Ran:
    """A function, not a method of Answering: that would make a reference cycle between it and its Reply."""
    run = partial(run_tool, tool_use_of(question), name, arguments)
    ran: Ran = in_database(partial(_write, question, earlier, run) if name in WRITING else run)
    return ran


@transaction.atomic
def _write(question: Question, earlier: Sequence[Ran], run: Callable[..., Ran]) -> Ran:
    """Run a tool that writes, unless its model was shown something that is gone by now."""
    lock_relationship(question.relationship.id)
    return run(refused=FORGOTTEN if is_gone(question, earlier) else "")


def upstream_error(error: ProviderError) -> RapportError:
    """Map an error of the model to the error that the client gets."""
    said = f"The model gave no reply: {error}"
    if isinstance(error, RateLimited):
        return TooManyRequests(said, retry_after=max(1, round(error.retry_after or 1)))
    if isinstance(error, RequestRefused | ContentBlocked):
        return InvalidInput(said)
    if isinstance(error, ProviderTimeout | ProviderUnavailable):
        return UpstreamFailed(said)
    return Unavailable(said) if error.blocks else UpstreamFailed(said)
