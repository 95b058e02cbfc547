"""A question's vector while a context waits: remembered, bounded in time, never an error."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from providers.embeddings.gemini import GeminiEmbedder
from providers.embeddings.questions import PAUSE_SECONDS, Questions, embed_question
from providers.errors import ProviderUnavailable, RateLimited, RequestRefused
from tests.fakes import ScriptedEmbedder
from tests.vendor_servers.gemini_server import GeminiServer
from tests.waiting import wait_until


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def questions(clock: Clock) -> Questions:
    return Questions(kept=3, clock=clock)


@pytest.fixture
def embedder() -> ScriptedEmbedder:
    return ScriptedEmbedder()


def test_a_question_is_embedded_as_a_query(questions: Questions, embedder: ScriptedEmbedder) -> None:
    embedded = questions.embed("Where do I live?", embedder, seconds=5)

    assert embedded is not None
    assert embedded.vectors.shape == (1, 64)
    assert embedder.asked == [("query", ["Where do I live?"])]


def test_the_same_question_is_asked_once(questions: Questions, embedder: ScriptedEmbedder) -> None:
    first = questions.embed("Where do I live?", embedder, seconds=5)
    second = questions.embed("Where do I live?", embedder, seconds=5)

    assert second is first
    assert len(embedder.asked) == 1


def test_another_embedder_or_model_has_its_own_vector(
    questions: Questions, embedder: ScriptedEmbedder
) -> None:
    other = ScriptedEmbedder(options={"model": "another", "dimensions": 8})
    questions.embed("Where do I live?", embedder, seconds=5)

    embedded = questions.embed("Where do I live?", other, seconds=5)

    assert embedded is not None
    assert embedded.space == ("another", 8)


def test_only_the_newest_questions_are_kept(questions: Questions, embedder: ScriptedEmbedder) -> None:
    for text in ("one", "two", "three", "one", "four"):  # 'two' is now the one least lately asked
        questions.embed(text, embedder, seconds=5)

    for text in ("one", "three", "four", "two"):
        questions.embed(text, embedder, seconds=5)

    assert embedder.texts == ["one", "two", "three", "four", "two"]


def test_a_failing_embedder_is_paused_for_some_seconds(
    questions: Questions, embedder: ScriptedEmbedder, clock: Clock
) -> None:
    embedder.answer_with(ProviderUnavailable())

    assert questions.embed("one", embedder, seconds=5) is None
    assert questions.embed("two", embedder, seconds=5) is None
    assert embedder.texts == ["one"]

    clock.now += PAUSE_SECONDS + 0.1
    assert questions.embed("two", embedder, seconds=5) is not None
    assert questions.embed("three", embedder, seconds=5) is not None


def test_cached_vectors_are_returned_while_the_embedder_is_paused(
    questions: Questions, embedder: ScriptedEmbedder
) -> None:
    known = questions.embed("known", embedder, seconds=5)
    embedder.answer_with(ProviderUnavailable())
    questions.embed("new", embedder, seconds=5)

    assert questions.embed("known", embedder, seconds=5) is known


def test_the_wait_that_the_vendor_asks_for_is_kept(
    questions: Questions, embedder: ScriptedEmbedder, clock: Clock
) -> None:
    embedder.answer_with(RateLimited(retry_after=30))
    questions.embed("one", embedder, seconds=5)

    clock.now += 29
    assert questions.embed("two", embedder, seconds=5) is None
    clock.now += 2
    assert questions.embed("two", embedder, seconds=5) is not None


def test_after_the_pause_one_question_finds_out_for_all(
    questions: Questions, embedder: ScriptedEmbedder, clock: Clock
) -> None:
    embedder.answer_with(ProviderUnavailable())
    questions.embed("one", embedder, seconds=5)
    clock.now += PAUSE_SECONDS + 0.1
    answering, others_asked = threading.Event(), threading.Event()

    def wait_for_the_others(texts: Sequence[str]) -> None:
        answering.set()
        others_asked.wait(timeout=10)

    embedder.while_answering = wait_for_the_others
    with ThreadPoolExecutor(1) as pool:
        trying = pool.submit(questions.embed, "two", embedder, seconds=20)
        assert answering.wait(timeout=10)
        assert questions.embed("three", embedder, seconds=20) is None
        others_asked.set()
        assert trying.result(timeout=20) is not None

    embedder.while_answering = None
    assert questions.embed("three", embedder, seconds=20) is not None


def test_a_text_that_is_refused_is_not_asked_again_and_keeps_nobody_else_waiting(
    questions: Questions, embedder: ScriptedEmbedder
) -> None:
    embedder.answer_with(RequestRefused())

    assert questions.embed("refused", embedder, seconds=5) is None
    assert questions.embed("other", embedder, seconds=5) is not None
    assert questions.embed("refused", embedder, seconds=5) is None
    assert embedder.texts == ["refused", "other"]


def test_a_mistake_in_an_embedder_from_elsewhere_costs_no_context(
    questions: Questions, embedder: ScriptedEmbedder
) -> None:
    embedder.answer_with(ZeroDivisionError())

    assert questions.embed("one", embedder, seconds=5) is None


def test_a_late_vector_is_not_waited_for_but_cached(questions: Questions, embedder: ScriptedEmbedder) -> None:
    may_answer = threading.Event()

    def think(texts: Sequence[str]) -> None:
        may_answer.wait(timeout=10)

    embedder.while_answering = think

    assert questions.embed("slow", embedder, seconds=0.05) is None
    assert questions.embed("next", embedder, seconds=5) is None
    may_answer.set()
    late = wait_until(lambda: questions.embed("slow", embedder, seconds=5), what="the late answer to be kept")

    assert late is not None
    assert late.vectors.shape == (1, 64)
    assert embedder.texts == ["slow"]


def test_an_embedder_that_never_waits_is_asked_in_the_same_thread(questions: Questions) -> None:
    class Instant(ScriptedEmbedder):
        instant = True

    embedder = Instant()
    threads: list[threading.Thread] = []
    embedder.while_answering = lambda texts: threads.append(threading.current_thread())

    assert questions.embed("hello", embedder, seconds=0.000001) is not None
    assert threads == [threading.current_thread()]


def test_many_threads_ask_at_once(embedder: ScriptedEmbedder) -> None:
    questions = Questions(kept=50)
    texts = [f"question {number % 20}" for number in range(200)]

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda text: questions.embed(text, embedder, seconds=10), texts))

    assert all(given)
    assert set(embedder.texts) == set(texts)


def test_a_silent_vendor_delays_a_context_only_up_to_the_limit(
    questions: Questions, gemini: Callable[..., GeminiEmbedder], gemini_server: GeminiServer
) -> None:
    embedder = gemini(timeout=30)
    questions.embed("warm", embedder, seconds=10)
    gemini_server.push({"delay": 8, "always": True})
    started = time.monotonic()

    assert questions.embed("slow", embedder, seconds=0.1) is None
    assert questions.embed("next", embedder, seconds=0.1) is None

    assert time.monotonic() - started < 4
    assert gemini_server.asked == 2


def test_one_memory_serves_the_process(scripted_embedder: ScriptedEmbedder) -> None:
    first = embed_question("Where do I live?", scripted_embedder, seconds=5)

    assert embed_question("Where do I live?", scripted_embedder, seconds=5) is first


@pytest.fixture
def go_on(questions: Questions, embedder: ScriptedEmbedder) -> threading.Event:
    """The question `one` is being asked, until this is set."""
    answering, go_on = threading.Event(), threading.Event()

    def think(texts: Sequence[str]) -> None:
        answering.set()
        go_on.wait(timeout=10)

    embedder.while_answering = think
    questions.begin("one", embedder, seconds=20)
    assert answering.wait(timeout=10)
    return go_on


def test_the_same_question_of_several_at_once_is_asked_once(
    questions: Questions, embedder: ScriptedEmbedder, go_on: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(questions.embed, "one", embedder, seconds=20)
        go_on.set()
        embedded = second.result(timeout=20)

    assert embedded is not None
    assert embedder.texts == ["one"]


def test_a_second_caller_waits_no_longer_than_its_own_limit(
    questions: Questions, embedder: ScriptedEmbedder, go_on: threading.Event
) -> None:
    assert questions.embed("one", embedder, seconds=0.05) is None
    go_on.set()
    assert (
        wait_until(lambda: questions.embed("one", embedder, seconds=5), what="the answer to be kept")
        is not None
    )
