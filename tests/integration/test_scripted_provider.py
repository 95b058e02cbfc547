"""The double that other tests rely on does what they are told it does."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings

from providers.errors import RateLimited
from providers.llm import CompletionRequest, get_provider
from tests.fakes import ScriptedProvider

ASK = CompletionRequest(system="s", prompt="p", schema=None)


def test_it_is_the_default_provider_of_its_test(scripted_provider: ScriptedProvider) -> None:
    assert get_provider(settings.DEFAULT_LLM_PROVIDER) is scripted_provider


def test_it_answers_in_order_and_remembers_what_it_was_asked(scripted_provider: ScriptedProvider) -> None:
    scripted_provider.answer_with("text", {"a": "é"}, lambda request: request.prompt.upper(), RateLimited())

    assert [scripted_provider.complete(ASK).text for _ in range(3)] == ["text", '{"a": "é"}', "P"]
    with pytest.raises(RateLimited):
        scripted_provider.complete(ASK)
    assert scripted_provider.requests == [ASK] * 4
    assert scripted_provider.unused == 0


def test_it_fails_the_test_that_asks_more_than_it_queued(scripted_provider: ScriptedProvider) -> None:
    with pytest.raises(AssertionError, match="Nothing is queued for question 1: 'p'"):
        scripted_provider.complete(ASK)


def test_it_can_answer_for_ever(scripted_provider: ScriptedProvider) -> None:
    scripted_provider.otherwise = {"operations": []}

    assert {scripted_provider.complete(ASK).text for _ in range(3)} == {'{"operations": []}'}


def test_something_can_happen_while_it_answers(scripted_provider: ScriptedProvider) -> None:
    happened: list[str] = []
    scripted_provider.answer_with(lambda request: f"after {happened}")
    scripted_provider.while_answering = lambda request: happened.append("an edit")

    assert scripted_provider.complete(ASK).text == "after ['an edit']"


def test_threads_get_each_answer_once(scripted_provider: ScriptedProvider) -> None:
    scripted_provider.answer_with(*(str(number) for number in range(200)))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: scripted_provider.complete(ASK).text, range(200)))

    assert sorted(answers, key=int) == [str(number) for number in range(200)]
