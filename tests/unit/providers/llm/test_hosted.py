"""What every provider over HTTP does around a vendor's call, shown with a vendor that is made up."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import httpx2
import pytest

from providers.errors import (
    ContentBlocked,
    ExternalRefused,
    ProviderMisconfigured,
    ProviderTimeout,
    ProviderUnavailable,
    RequestRefused,
    Unauthorized,
)
from providers.llm.base import CompletionRequest
from providers.llm.hosted import HostedProvider, VendorAnswer

LOCAL = {"api_key": "k-1", "base_url": "http://user:password@localhost:1/v9"}


class Parrot(HostedProvider):
    kind = "parrot"
    vendor = "The parrot"
    vendor_url = "https://parrot.example.org"
    vendor_model = "parrot-latest"
    key_variable = "PARROT_KEY"
    problem: ContentBlocked | None = None
    asked = 0

    def _ask(self, request: CompletionRequest, model: str) -> VendorAnswer:
        self.asked += 1
        return VendorAnswer(
            text=request.prompt,
            model=model,
            finish_reason="stop",
            prompt_tokens=10,
            output_tokens=20,
            problem=self.problem,
        )


def parrot(**options: Any) -> Parrot:
    return Parrot(alias="bird", options={**LOCAL, **options})


def test_an_answer_is_unwrapped_counted_and_priced(question: CompletionRequest) -> None:
    provider = parrot(prices={"parrot*": (1, 2)})

    completion = provider.complete(replace(question, prompt='<think>hm</think>```json\n{"a": 1}\n```'))

    assert completion.text == '{"a": 1}'
    assert completion.cost == Decimal("0.00005")
    assert (completion.provider, completion.model) == ("bird", "parrot-latest")


def test_plain_text_keeps_its_fences_but_not_its_thoughts(question: CompletionRequest) -> None:
    completion = parrot().complete(replace(question, schema=None, prompt="<think>hm</think>See ```{}```"))

    assert completion.text == "See ```{}```"


def test_a_problem_carries_the_answer_that_was_paid_for(question: CompletionRequest) -> None:
    provider = parrot()
    provider.problem = ContentBlocked("No.")

    with pytest.raises(ContentBlocked, match="No") as failure:
        provider.complete(question)

    assert failure.value.completion is not None
    assert failure.value.completion.output_tokens == 20


def test_the_model_of_the_options_comes_before_the_vendors_own() -> None:
    assert parrot(model="polly").default_model == "polly"
    assert parrot(model="").default_model == "parrot-latest"


def test_nothing_is_asked_beyond_this_machine_or_without_a_key(question: CompletionRequest) -> None:
    abroad, keyless = parrot(base_url=""), parrot(api_key="")

    with pytest.raises(ExternalRefused):
        abroad.complete(question)
    with pytest.raises(Unauthorized, match="Set PARROT_KEY"):
        keyless.complete(question)

    assert (abroad.asked, keyless.asked) == (0, 0)


def test_a_description_names_the_host_without_what_stands_before_it() -> None:
    assert parrot().describe() == {
        "alias": "bird",
        "kind": "parrot",
        "model": "parrot-latest",
        "host": "localhost:1",
    }


def test_options_that_cannot_be_meant_are_refused_at_once() -> None:
    with pytest.raises(ProviderMisconfigured, match="Did you mean timeout"):
        parrot(time_out=3)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx2.ReadTimeout("slow"), ProviderTimeout),
        (httpx2.ConnectTimeout("slow"), ProviderTimeout),
        (httpx2.ConnectError("refused"), ProviderUnavailable),
        (httpx2.RemoteProtocolError("hung up"), ProviderUnavailable),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), RequestRefused),
        (ValueError("what?"), ProviderUnavailable),
    ],
    ids=repr,
)
def test_a_call_that_ended_without_an_answer_has_its_class(error: Exception, kind: type[Exception]) -> None:
    assert type(parrot()._transport_error(error)) is kind
