"""Embeds a question while a context waits for it: cached, with a time limit, and without raising provider errors.

Each process caches the newest questions' vectors, so the same question is embedded once, even if several threads ask
at the same time. An embedder that fails or takes too long is paused for a few seconds, so that the next contexts don't
wait for it; then one question tries whether it works again.
"""

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future

import structlog

from config import tracing
from providers.embeddings.base import Embedded, Embedder
from providers.errors import ProviderError, ProviderTimeout, ProviderUnavailable

logger = structlog.get_logger(__name__)

KEPT = 2_000  # questions; about 12 MB at 1,536 dimensions
PAUSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 60.0


Key = tuple[str, str, bytes]  # an embedder's alias and model, and a text's hash


class Questions:
    """One process's cache and circuit breaker. `clock`: monotonic seconds."""

    def __init__(self, *, kept: int = KEPT, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept = kept
        self._clock = clock
        self._vectors: OrderedDict[Key, Embedded | None] = OrderedDict()
        self._underway: dict[Key, threading.Event] = {}
        self._paused_until: dict[str, float] = {}
        self._lock = threading.Lock()

    def embed(self, text: str, embedder: Embedder, *, seconds: float) -> Embedded | None:
        """Return the question's vector, or None if it is not available within `seconds`. Raises no ProviderError."""
        key = (embedder.alias, embedder.model, hashlib.sha256(text.encode("utf-8", "replace")).digest())
        with self._lock:
            if key in self._vectors:
                self._vectors.move_to_end(key)
                return self._vectors[key]
            underway = self._underway.get(key)
            if underway is None:
                if not self._may_ask(embedder.alias):
                    return None
                done = self._underway[key] = threading.Event()
        if underway is not None:
            underway.wait(seconds)
            with self._lock:
                return self._vectors.get(key)
        try:
            return self._ask_within(key, text, embedder, seconds=seconds)
        finally:
            with self._lock:
                del self._underway[key]
            done.set()

    def begin(self, text: str, embedder: Embedder, *, seconds: float) -> None:
        """Start embedding in the background, so that a later `embed` of the same question has less time to wait."""
        if not embedder.instant:
            work = threading.Thread(
                target=tracing.carried(self.embed),
                args=(text, embedder),
                kwargs={"seconds": seconds},
                daemon=True,
            )
            work.start()

    def _ask_within(self, key: Key, text: str, embedder: Embedder, *, seconds: float) -> Embedded | None:
        def ask() -> Embedded:
            timeout = None if embedder.instant else seconds
            embedded = embedder.embed([text], purpose="query", timeout=timeout)
            self._store(key, embedded)  # even if it is too late for this context
            return embedded

        try:
            embedded = _within(seconds, ask, embedder)
        except ProviderError as error:
            self._failed(key, error)
            return None
        with self._lock:
            self._paused_until.pop(embedder.alias, None)
        return embedded

    def _store(self, key: Key, embedded: Embedded | None) -> None:
        with self._lock:
            self._vectors[key] = embedded
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)

    def _may_ask(self, alias: str) -> bool:
        """Return whether to ask now. After a pause only one question may try; the others get None meanwhile."""
        paused_until = self._paused_until.get(alias)
        if paused_until is None:
            return True
        if self._clock() < paused_until:
            return False
        self._paused_until[alias] = self._clock() + PAUSE_SECONDS
        return True

    def _failed(self, key: Key, error: ProviderError) -> None:
        if error.permanent:
            self._store(key, None)  # this text would be refused again, but others may not be
        else:
            pause = min(max(error.retry_after or 0.0, PAUSE_SECONDS), LONGEST_PAUSE_SECONDS)
            with self._lock:
                self._paused_until[key[0]] = self._clock() + pause
        logger.warning(
            "a question could not be embedded; contexts are searched by text for a while",
            event_name="embedder.question.failed",
            embedder=key[0],
            code=error.code,
        )


_questions = Questions()


def embed_question(text: str, embedder: Embedder, *, seconds: float) -> Embedded | None:
    """Return the question's unit vector as `vectors[0]`; None if it failed or took longer than `seconds`.

    The caller then searches by text only, and says so. Cached per process; see the module's docstring.
    """
    return _questions.embed(text, embedder, seconds=seconds)


def begin_question(text: str, embedder: Embedder, *, seconds: float) -> None:
    """Start embedding a question in the background that `embed_question` will need later."""
    _questions.begin(text, embedder, seconds=seconds)


def forget_questions() -> None:
    """Clear the cache and all pauses."""
    global _questions
    _questions = Questions()


os.register_at_fork(after_in_child=forget_questions)  # another thread may have held the lock in the parent


def _within(seconds: float, ask: Callable[[], Embedded], embedder: Embedder) -> Embedded:
    """Call `ask`, but wait no longer than `seconds`, whatever hangs, such as a name server or loading a model."""
    if embedder.instant:
        return ask()
    answer: Future[Embedded] = Future()

    def work() -> None:
        try:
            answer.set_result(ask())
        except ProviderError as error:
            answer.set_exception(error)
        except Exception as error:  # a third-party embedder may raise anything, but the context must go on
            answer.set_exception(ProviderUnavailable(f"{embedder.alias!r} failed: {type(error).__name__}."))

    threading.Thread(target=tracing.carried(work), name=f"question-{embedder.alias}", daemon=True).start()
    try:
        return answer.result(timeout=seconds)
    except TimeoutError:
        raise ProviderTimeout(f"{embedder.alias!r} took longer than {seconds:g} seconds.") from None
