"""The common base of language models over HTTP: options, the external switch, timing, costs, unwrapping.

A vendor's module asks the model (`_ask`) and returns a `VendorAnswer`. The rest happens here, so that all vendors'
calls are counted, priced and refused in the same way.
"""

import time
from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from config import tracing
from providers.endpoint import Endpoint
from providers.errors import ProviderError
from providers.llm.base import Completion, CompletionRequest, LLMProvider, traced_as, traced_usage
from providers.llm.chat import ChatPart, ChatRequest
from providers.llm.json_text import extract_json_text, without_thoughts
from providers.options import HostedOptions, read_options
from providers.pricing import call_cost
from providers.reported import LONGEST_REASON, count_of, name_of
from web.disconnects import nobody_waits

COUNTS = ("prompt_tokens", "output_tokens", "cached_tokens")


@dataclass(frozen=True, slots=True)
class VendorAnswer:
    """An answer taken out of the vendor's envelope. `problem`: why it can't be used, if so. `finish`: of a
    stream, the reason in OpenAI's terms, or the vendor's word.
    """

    text: str
    model: str
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    problem: ProviderError | None = None
    finish: str = ""


class HostedProvider(Endpoint, LLMProvider):
    """A vendor's API over HTTP. Subclasses name the vendor and implement `_ask`."""

    options_kind: ClassVar[type[HostedOptions]] = HostedOptions
    options: HostedOptions

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """Raises ProviderMisconfigured for invalid options."""
        super().__init__(alias=alias, options=options)
        self.options = read_options(self.options_kind, options or {})
        self.default_model = self.options.model or self.vendor_model
        self._set_up(self.options)

    def complete(self, request: CompletionRequest) -> Completion:
        model = request.model or self.default_model
        with tracing.calling(f"chat {model}", traced_as(self, model)):
            self._may_be_asked()
            with self._call(self._deadline):
                answer = self._ask(request, model)
            text = without_thoughts(answer.text)
            text = text if request.shape is None else extract_json_text(text)
            completion = self._completion(text, answer, asked_model=model)
            tracing.note(traced_usage(completion))
            if answer.problem is not None:
                answer.problem.completion = completion
                raise answer.problem
            return completion

    def stream(self, request: ChatRequest) -> Iterator[ChatPart]:
        """Stream a reply within the provider's limits, but without the deadline of a question: a reply may take long as
        long as it does not fall silent.
        """
        self._may_be_asked()
        model = request.model or self.default_model
        began = time.time()
        told: dict[str, Any] = traced_as(self, model)
        try:
            with self._limits_of_calls.call(patience=self._deadline):
                answer = yield from self._stream(request, model)
            completion = self._completion("", answer, asked_model=model)
            told |= traced_usage(completion)
        except ProviderError as error:
            if not nobody_waits():
                told["error.type"] = type(error).__name__
            raise
        finally:
            tracing.past(f"chat {model}", began, told)
        yield ChatPart(finish=name_of(answer.finish, most=LONGEST_REASON), completion=completion)

    @abstractmethod
    def _stream(self, request: ChatRequest, model: str) -> Generator[ChatPart, None, VendorAnswer]:
        """Yield the parts, then return the answer. Raises ProviderError, also if there was no finish reason."""

    @abstractmethod
    def _ask(self, request: CompletionRequest, model: str) -> VendorAnswer:
        """Ask the vendor once. Raises ProviderError if no answer came."""

    def _token_limit(self, request: CompletionRequest) -> int | None:
        """The request's, or else the options'. None: the vendor's default."""
        own = request.max_output_tokens
        return self.options.max_output_tokens if own is None else own

    def _completion(self, text: str, answer: VendorAnswer, *, asked_model: str) -> Completion:
        counts = {name: count_of(getattr(answer, name)) for name in COUNTS}
        model = name_of(answer.model)
        return Completion(
            text=text,
            provider=self.alias,
            model=model,
            cost=call_cost(self.options.prices, models=(model, asked_model), **counts),
            **counts,
        )
