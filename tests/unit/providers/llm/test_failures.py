"""What a vendor can do wrong, over real HTTP with its real SDK: each failure has its class, its wait and its words."""

import socket
from pathlib import Path
from typing import Any

import pytest

from providers.errors import (
    AnswerTruncated,
    CertificateRefused,
    ContentBlocked,
    EmptyAnswer,
    ProviderError,
    ProviderMisconfigured,
    ProviderTimeout,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
    RequestRefused,
    Unauthorized,
)
from providers.llm.base import CompletionRequest
from tests.fixtures.certificates import with_own_certificate
from tests.unit.providers.llm.conftest import Vendor

ADD = {"operations": [{"op": "add", "content": "lives in Porto"}]}
FAILURES_OF_BOTH: list[tuple[dict[str, Any], type[ProviderError]]] = [
    ({"status": 400}, RequestRefused),
    ({"status": 401}, Unauthorized),
    ({"status": 429}, RateLimited),
    ({"status": 503}, ProviderUnavailable),
    ({"redirect": "http://127.0.0.1:9/elsewhere"}, ProviderMisconfigured),
    ({"drop": True}, ProviderUnavailable),
    ({"drop": "body"}, ProviderUnavailable),
    ({"drop": "reset"}, ProviderUnavailable),
    ({"raw": "<html>It works!</html>", "content_type": "text/html"}, ProviderUnavailable),
]
FAILURES: list[tuple[str, dict[str, Any], type[ProviderError]]] = [
    *((vendor, *case) for vendor in ("gemini", "openai") for case in FAILURES_OF_BOTH),
    ("gemini", {"status": 400, "message": "API key not valid.", "reason": "API_KEY_INVALID"}, Unauthorized),
    ("gemini", {"status": 400, "code": "FAILED_PRECONDITION"}, ProviderMisconfigured),
    ("gemini", {"raw": '{"candidates": [{"content'}, ProviderUnavailable),
    ("gemini", {"raw": "[]"}, EmptyAnswer),
    ("gemini", {"raw": '{"candidates": "none"}'}, EmptyAnswer),
    ("gemini", {"raw": ""}, EmptyAnswer),
    ("openai", {"status": 400, "code": "content_filter"}, ContentBlocked),
    ("openai", {"status": 403, "raw": '{"error": {"metadata": {"flagged_input": "..."}}}'}, ContentBlocked),
    ("openai", {"status": 429, "code": "insufficient_quota"}, QuotaExhausted),
    ("openai", {"raw": '{"choices": [{"message'}, ProviderUnavailable),
    ("openai", {"raw": "[]"}, ProviderUnavailable),
    ("openai", {"raw": '{"choices": null}'}, EmptyAnswer),
    ("openai", {"raw": '{"error": {"message": "upstream is down", "code": 502}}'}, ProviderUnavailable),
]


@pytest.mark.parametrize(("name", "item", "expected"), FAILURES, ids=str)
def test_a_failure_has_its_class_and_the_sdk_does_not_ask_again(
    name: str,
    item: dict[str, Any],
    expected: type[ProviderError],
    vendors: dict[str, Vendor],
    question: CompletionRequest,
) -> None:
    vendor = vendors[name]
    vendor.server.push(item)

    with pytest.raises(ProviderError) as failure:
        vendor.make().complete(question)

    assert type(failure.value) is expected
    assert not str(failure.value).endswith("..")
    assert vendor.server.asked == 1


def test_a_certificate_that_nobody_trusts_is_a_matter_for_an_operator_and_no_try(
    vendor: Vendor, question: CompletionRequest, tmp_path: Path
) -> None:
    with_own_certificate(vendor.server._http, tmp_path / "certificate.pem")
    url = vendor.server.url.replace("http:", "https:")

    with pytest.raises(
        CertificateRefused, match=r"certificate of https://127.* not accepted: self-signed"
    ) as failure:
        vendor.make(base_url=url).complete(question)

    assert (failure.value.counts, failure.value.retry_after, vendor.server.asked) == (False, 60.0, 0)


WAITS_OF_BOTH: list[tuple[dict[str, Any], float | None]] = [
    ({"status": 429, "retry_after": 7}, 7.0),
    ({"status": 429}, None),
    ({"status": 401}, 60.0),
]
WAITS: list[tuple[str, dict[str, Any], float | None]] = [
    *((vendor, *case) for vendor in ("gemini", "openai") for case in WAITS_OF_BOTH),
    ("gemini", {"status": 429, "retry_delay": "3.5s"}, 3.5),
    ("gemini", {"status": 429, "retry_delay": "3.5s", "retry_after": 7}, 3.5),
    ("gemini", {"status": 503, "retry_after": 2}, 2.0),
    ("gemini", {"status": 429, "retry_after": "soon"}, None),
    ("openai", {"status": 429, "retry_after": "0.5"}, 0.5),
    ("openai", {"status": 503, "retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
]


@pytest.mark.parametrize(("name", "item", "seconds"), WAITS, ids=str)
def test_the_wait_that_the_vendor_asks_for_is_kept(
    name: str,
    item: dict[str, Any],
    seconds: float | None,
    vendors: dict[str, Vendor],
    question: CompletionRequest,
) -> None:
    vendors[name].server.push(item)

    with pytest.raises(ProviderError) as failure:
        vendors[name].make().complete(question)

    assert failure.value.retry_after == seconds


def test_silence_is_a_timeout(vendor: Vendor, question: CompletionRequest) -> None:
    vendor.server.push({"json": ADD, "delay": 5})

    with pytest.raises(ProviderTimeout, match=r"silent for 0\.1 seconds"):
        vendor.make(timeout=0.1, deadline=60).complete(question)

    assert vendor.server.asked == 1


def test_a_server_that_is_not_there_is_unavailable(vendor: Vendor, question: CompletionRequest) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        provider = vendor.make(base_url=f"http://127.0.0.1:{free.getsockname()[1]}/v1")

        with pytest.raises(ProviderUnavailable, match="could not be reached"):
            provider.complete(question)


UNUSABLE_OF_BOTH: list[tuple[dict[str, Any], type[ProviderError]]] = [
    ({"json": ADD, "truncate": 20}, AnswerTruncated),
    ({"empty": True}, EmptyAnswer),
    ({"text": " \n"}, EmptyAnswer),
]
UNUSABLE: list[tuple[str, dict[str, Any], type[ProviderError]]] = [
    *((vendor, *case) for vendor in ("gemini", "openai") for case in UNUSABLE_OF_BOTH),
    ("gemini", {"blocked": "PROHIBITED_CONTENT"}, ContentBlocked),
    ("gemini", {"finish": "SAFETY"}, ContentBlocked),
    ("gemini", {"finish": "RECITATION"}, ContentBlocked),
    ("gemini", {"finish": "MALFORMED_RESPONSE"}, EmptyAnswer),
    ("openai", {"refusal": "I can't help with that."}, ContentBlocked),
    ("openai", {"finish": "content_filter", "text": ""}, ContentBlocked),
    ("openai", {"text": "", "finish": "length", "think": "so long that"}, AnswerTruncated),
    ("openai", {"text": "", "think": "nothing to say"}, EmptyAnswer),
]


@pytest.mark.parametrize(("name", "item", "expected"), UNUSABLE, ids=str)
def test_an_answer_that_cannot_be_used_says_why_and_what_it_took(
    name: str,
    item: dict[str, Any],
    expected: type[ProviderError],
    vendors: dict[str, Vendor],
    question: CompletionRequest,
) -> None:
    vendors[name].server.push(item)

    with pytest.raises(ProviderError) as failure:
        vendors[name].make(prices={"g*": (1, 1)}).complete(question)

    assert type(failure.value) is expected
    paid = failure.value.completion
    assert paid is not None
    assert paid.cost
