"""The vector of a question, while a context waits for it: remembered, bounded in time, and never an error.

Per process: the newest questions' vectors are kept, so that the same question is embedded once, also by several who
ask at the same time. An embedder that
fails or takes too long is left alone for a few seconds, so that the next contexts need not find out for
themselves; one question then tries whether it is back.
"""

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import NamedTuple

import structlog

from config import tracing
from providers.embeddings.base import Embedded, Embedder
from providers.errors import ProviderError, ProviderTimeout, ProviderUnavailable

logger = structlog.get_logger(__name__)

KEPT = 2_000  # questions; at 1,536 dimensions some 12 MB
PAUSE_SECONDS = 5.0
LONGEST_PAUSE_SECONDS = 60.0


class Key(NamedTuple):
    alias: str
    model: str
    text_hash: bytes


class Questions:
    """The memory and the circuit of one process. `clock` gives seconds that only grow."""

    def __init__(self, *, kept: int = KEPT, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept = kept
        self._clock = clock
        self._vectors: OrderedDict[Key, Embedded | None] = OrderedDict()
        self._underway: dict[Key, threading.Event] = {}
        self._paused_until: dict[str, float] = {}
        self._lock = threading.Lock()

    def embed(self, text: str, embedder: Embedder, *, seconds: float) -> Embedded | None:
        """The question's vector; None where it can't be had within `seconds`. Raises nothing of a provider's."""
        key = Key(embedder.alias, embedder.model, hashlib.sha256(text.encode("utf-8", "replace")).digest())
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
            return self._asked(key, text, embedder, seconds=seconds)
        finally:
            with self._lock:
                del self._underway[key]
            done.set()

    def begin(self, text: str, embedder: Embedder, *, seconds: float) -> None:
        """Start asking, so that who asks the same in a moment has only the rest of the time to wait."""
        if not embedder.instant:
            work = threading.Thread(
                target=tracing.carried(self.embed),
                args=(text, embedder),
                kwargs={"seconds": seconds},
                daemon=True,
            )
            work.start()

    def _asked(self, key: Key, text: str, embedder: Embedder, *, seconds: float) -> Embedded | None:
        try:
            embedded = _within(seconds, lambda: self._ask(key, text, embedder, seconds=seconds), embedder)
        except ProviderError as error:
            self._failed(key, error)
            return None
        with self._lock:
            self._paused_until.pop(embedder.alias, None)
        return embedded

    def _ask(self, key: Key, text: str, embedder: Embedder, *, seconds: float) -> Embedded:
        embedded = embedder.embed([text], purpose="query", timeout=None if embedder.instant else seconds)
        self._keep(key, embedded)  # also where it comes too late for this context
        return embedded

    def _keep(self, key: Key, embedded: Embedded | None) -> None:
        with self._lock:
            self._vectors[key] = embedded
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)

    def _may_ask(self, alias: str) -> bool:
        """Whether to ask now. After a pause one question may; the others wait for how it fares."""
        paused_until = self._paused_until.get(alias)
        if paused_until is None:
            return True
        if self._clock() < paused_until:
            return False
        self._paused_until[alias] = self._clock() + PAUSE_SECONDS
        return True

    def _failed(self, key: Key, error: ProviderError) -> None:
        if error.permanent:
            self._keep(key, None)  # this text would be refused again; others need not be
        else:
            pause = min(max(error.retry_after or 0.0, PAUSE_SECONDS), LONGEST_PAUSE_SECONDS)
            with self._lock:
                self._paused_until[key.alias] = self._clock() + pause
        logger.warning(
            "A question could not be embedded; contexts are found by text for a while",
            event_name="embedder.question.failed",
            embedder=key.alias,
            code=error.code,
        )


_questions = Questions()


def embed_question(text: str, embedder: Embedder, *, seconds: float) -> Embedded | None:
    """The question's unit vector, as `vectors[0]`; None where it failed or took longer than `seconds`.

    Then the asker goes by text alone, and says so. Remembered per process; see the module's docstring.
    """
    return _questions.embed(text, embedder, seconds=seconds)


def begin_question(text: str, embedder: Embedder, *, seconds: float) -> None:
    """Have the embedder begin on a question that `embed_question` will ask for, while other things are done."""
    _questions.begin(text, embedder, seconds=seconds)


def forget_questions() -> None:
    """Start anew: nothing is remembered, nobody is left alone."""
    global _questions
    _questions = Questions()


os.register_at_fork(after_in_child=forget_questions)  # another thread may have held the lock in the parent


def _within(seconds: float, ask: Callable[[], Embedded], embedder: Embedder) -> Embedded:
    """What `ask` gives, waited for no longer than `seconds`, whatever hangs: a name server, a model's loading."""
    if embedder.instant:
        return ask()
    answer: SimpleQueue[Embedded | ProviderError] = SimpleQueue()

    def work() -> None:
        try:
            answer.put(ask())
        except ProviderError as error:
            answer.put(error)
        except Exception as error:  # an embedder from elsewhere may raise anything; the context goes on
            answer.put(ProviderUnavailable(f"{embedder.alias!r} failed: {type(error).__name__}."))

    threading.Thread(target=tracing.carried(work), name=f"question-{embedder.alias}", daemon=True).start()
    try:
        given = answer.get(timeout=seconds)
    except Empty:
        raise ProviderTimeout(f"{embedder.alias!r} took longer than {seconds:g} seconds.") from None
    if isinstance(given, ProviderError):
        raise given
    return given
