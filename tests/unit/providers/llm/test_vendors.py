"""What every real SDK does alike, over real HTTP against the vendors' local servers."""

import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpcore2
import pytest

from providers.errors import (
    AnswerTruncated,
    EmptyAnswer,
    ExternalRefused,
    ProviderMisconfigured,
    Unauthorized,
)
from providers.llm.base import CompletionRequest
from tests.unit.providers.llm.conftest import Vendor

USAGE = {
    "gemini": {
        "promptTokenCount": 900,
        "candidatesTokenCount": 40,
        "thoughtsTokenCount": 60,
        "cachedContentTokenCount": 500,
    },
    "openai": {
        "prompt_tokens": 900,
        "completion_tokens": 100,
        "total_tokens": 1000,
        "prompt_tokens_details": {"cached_tokens": 500},
        "completion_tokens_details": {"reasoning_tokens": 60},
    },
}


def test_the_answer_comes_with_its_tokens_and_model(vendor: Vendor, question: CompletionRequest) -> None:
    vendor.server.push({"text": '{"operations": []}', "usage": USAGE[vendor.name], "model": "some-model-2"})

    completion = vendor.make(model="some-model").complete(question)

    assert completion.text == '{"operations": []}'
    assert (completion.prompt_tokens, completion.output_tokens, completion.cached_tokens) == (900, 100, 500)
    assert (completion.provider, completion.model) == (vendor.name, "some-model-2")
    assert completion.cost is None


def test_plain_text_is_asked_without_json_mode_and_kept_as_it_is(vendor: Vendor) -> None:
    vendor.server.push({"text": "Hello! ```json\n{}\n```"})

    completion = vendor.make().complete(CompletionRequest(system="", prompt="Say hello", schema=None))

    assert completion.text == "Hello! ```json\n{}\n```"
    body = vendor.server.requests[0].body
    asked = {*body, *body.get("generationConfig", {}), *(one["role"] for one in body.get("messages", ()))}
    assert not asked & {"system", "systemInstruction", "response_format", "responseMimeType"}


def test_a_repair_round_follows_the_prompt(vendor: Vendor, question: CompletionRequest) -> None:
    history = (("assistant", "oops"), ("user", "That is no JSON."))

    vendor.make().complete(replace(question, history=history))

    body = vendor.server.requests[0].body
    if vendor.name == "openai":
        told = [(one["role"], one["content"]) for one in body["messages"][1:]]
    else:
        told = [(one["role"], one["parts"][0]["text"]) for one in body["contents"]]
    replies = {"gemini": "model", "openai": "assistant"}[vendor.name]
    assert told == [("user", question.prompt), (replies, "oops"), history[1]]


SHAPES: dict[str, tuple[dict[str, Any], str]] = {
    "fenced": ({"text": '{"operations": []}', "fenced": True}, '{"operations": []}'),
    "after thoughts": ({"text": '{"operations": []}', "think": "Hm, {maybe}?"}, '{"operations": []}'),
    "malformed": ({"text": '{"operations": [}'}, '{"operations": [}'),
    "prose": ({"text": "I have nothing to note."}, "I have nothing to note."),
}


@pytest.mark.parametrize(("item", "text"), SHAPES.values(), ids=SHAPES)
def test_json_is_unwrapped_and_other_text_is_returned_unchanged(
    item: dict[str, Any], text: str, vendor: Vendor, question: CompletionRequest
) -> None:
    vendor.server.push(item)

    assert vendor.make().complete(question).text == text


def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(
    vendor: Vendor, question: CompletionRequest
) -> None:
    with type(vendor.server)() as elsewhere:
        path = {"gemini": "v1beta/models/m:generateContent", "openai": "chat/completions"}[vendor.name]
        vendor.server.push({"redirect": f"{elsewhere.url}/{path}"})

        with pytest.raises(ProviderMisconfigured):
            vendor.make().complete(question)

        assert elsewhere.asked == 0


def test_a_wrong_key_is_named_but_never_shown(vendor: Vendor, question: CompletionRequest) -> None:
    vendor.server.push({"status": 401, "message": "The key wrong-key is not known."})
    provider = vendor.make(api_key="wrong-key")

    with pytest.raises(Unauthorized) as failure:
        provider.complete(question)

    assert "wrong-key" not in str(failure.value) + str(vars(provider)["options"])


def test_a_proxy_in_the_environment_is_not_asked_for_this_machine(
    vendor: Vendor, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    assert vendor.make().complete(question).text == '{"operations": []}'


def test_no_test_reaches_the_vendor(vendor: Vendor, question: CompletionRequest) -> None:
    with pytest.raises(ExternalRefused, match=r"(googleapis|openai)\.com is not this machine"):
        vendor.make(base_url="").complete(question)


def test_many_threads_ask_through_one_provider(vendor: Vendor, question: CompletionRequest) -> None:
    provider = vendor.make()
    vendor.server.respond = lambda body: {
        "text": body["messages"][-1]["content"]
        if "messages" in body
        else body["contents"][0]["parts"][0]["text"]
    }
    prompts = [f'{{"number": {number}}}' for number in range(32)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: provider.complete(replace(question, prompt=text)).text, prompts))

    assert answers == prompts


CALLED: dict[str, tuple[dict[str, Any], str]] = {
    "two calls are one": ({"calls": [{"facts": ["a"]}, {"facts": ["b"]}]}, '{"facts": ["a", "b"]}'),
    "a call with nothing": ({"calls": [{}]}, "{}"),
    "words instead of a call": ({"text": "I noted it down."}, "I noted it down."),
    "JSON instead of a call": ({"text": '{"facts": []}', "fenced": True}, '{"facts": []}'),
    "thoughts before the call": ({"json": {"facts": []}, "think": "What is new?"}, '{"facts": []}'),
}


@pytest.mark.parametrize(("item", "text"), CALLED.values(), ids=CALLED)
def test_the_arguments_of_a_call_are_the_answer_or_else_the_text(
    item: dict[str, Any], text: str, vendor: Vendor, call_question: CompletionRequest
) -> None:
    vendor.server.push(item)

    assert vendor.make().complete(call_question).text == text


@pytest.mark.parametrize(
    ("item", "error"),
    [
        ({"calls": ['{"facts": ["a'], "truncate": 5, "finish": "length"}, AnswerTruncated),
        ({"empty": True}, EmptyAnswer),
        ({"text": ""}, EmptyAnswer),
    ],
    ids=str,
)
def test_an_answer_with_neither_a_call_nor_words_is_none(
    item: dict[str, Any], error: type[Exception], vendor: Vendor, call_question: CompletionRequest
) -> None:
    finish = {"finish": "MAX_TOKENS"} if "finish" in item and vendor.name == "gemini" else {}
    vendor.server.push({**item, **finish})

    with pytest.raises(error):
        vendor.make().complete(call_question)


def test_one_more_provider_does_not_read_the_machine_s_certificates_again(
    openai: Callable[..., Any], gemini: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _ = openai(), gemini()
    monkeypatch.setattr(httpcore2, "default_ssl_context", None)
    monkeypatch.setattr(ssl, "create_default_context", None)

    _ = openai(), gemini()
