"""OpenAI, and servers with its chat completions API, such as Ollama, vLLM, llama.cpp and LiteLLM.

The SDK's retries are off; failed calls are repeated with the turn. What a server's model does not support (a function
to call, a JSON Schema, a name of the token limit, a temperature) is learnt from its refusals and remembered in this
process.
"""

from collections import deque
from collections.abc import Generator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

import httpx2
import openai as sdk
import structlog

from providers.llm.base import CompletionRequest
from providers.llm.chat import ChatPart, ChatRequest
from providers.llm.hosted import HostedProvider, VendorAnswer
from providers.llm.openai_chat import lines_of, read_chunks
from providers.llm.openai_dialect import Dialect
from providers.llm.openai_envelope import Envelope, Usage
from providers.llm.tool_calls import arguments_text
from providers.openai_sdk import OpenAIEndpoint, complaint, openai_error
from web.deadline import deadline

logger = structlog.get_logger(__name__)

_ENDING_SECONDS = 0.1  # time for a stream to close after [DONE]
ARGUABLE = {400, 422, 500, 501}  # some servers answer 500 to an unknown response_format


class OpenAIProvider(OpenAIEndpoint, HostedProvider):
    kind = "openai"
    vendor_model = "gpt-6-luna"

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self._dialects: dict[str, Dialect] = {}
        token_field = "max_completion_tokens" if self._is_the_vendor() else "max_tokens"
        self._first_dialect = Dialect(token_field=token_field)

    def _ask(self, request: CompletionRequest, model: str) -> VendorAnswer:
        dialect = self._dialects.get(model, self._first_dialect)
        while True:
            fields = dialect.fields(
                schema=request.shape,
                max_output_tokens=self._token_limit(request),
                temperature=self.options.temperature,
                tool=request.tool,
            )
            try:
                envelope = self._send(request, model, fields, dialect)
            except sdk.APIStatusError as error:
                arguable = error.status_code in ARGUABLE
                simpler = dialect.simpler(complaint(error), sent=fields) if arguable else None
                if simpler is None:
                    raise openai_error(error, quote=self._quote) from error
                dialect = simpler
                continue
            answer = self._answer(envelope, request, model=model)
            if "tools" in fields and answer.problem is None and not envelope.calls():
                # the server let the model answer in text instead
                dialect = replace(dialect, tool_mode="as_schema")
            self._remember(model, dialect)
            return answer

    def _send(
        self, request: CompletionRequest, model: str, fields: dict[str, Any], dialect: Dialect
    ) -> Envelope:
        """Make one call. Raises the same errors as _asking."""
        system = f"{request.system}{dialect.instruction(request.shape, request.tool)}".strip()
        messages: list[Any] = [{"role": "system", "content": system}] if system else []
        messages += [{"role": role, "content": text} for role, text in request.turns()]
        body = {"model": model, "messages": messages, **fields, **self.options.extra}
        with self._asking():
            # Not `create`, which searches every field for things to convert: a tenth of a turn's CPU time.
            answer = self._client.post("/chat/completions", body=body, cast_to=httpx2.Response)
            return Envelope.model_validate(answer.json())

    def _answer(self, envelope: Envelope, request: CompletionRequest, *, model: str) -> VendorAnswer:
        called = arguments_text(envelope.calls(), request.tool.parameters) if request.tool else ""
        text = called or envelope.text(reasoning_may_answer=request.shape is not None)
        problem = envelope.problem(text, quote=self._quote)
        usage = envelope.usage or Usage()
        cached = usage.prompt_tokens_details
        return VendorAnswer(
            text=text,
            model=envelope.model or model,
            prompt_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cached_tokens=cached.cached_tokens if cached else None,
            problem=problem,
        )

    def _stream(self, request: ChatRequest, model: str) -> Generator[ChatPart, None, VendorAnswer]:
        """Pass the request on unchanged; if the server refuses it, the caller gets the error."""
        tools = {"tools": list(request.tools)} if request.tools else {}
        body = {
            "stream_options": {"include_usage": True},
            **self._chat_limits(request),
            **self.options.extra,
            **request.options,
            **tools,
            "model": model,  # from here on no option may say otherwise
            "stream": True,
            "messages": list(request.messages),
        }
        ask: Any = self._client.post  # not `create`: see _send
        try:
            with (
                self._asking(),
                closing(
                    ask("/chat/completions", body=body, cast_to=httpx2.Response, stream=True)
                ) as response,
            ):
                lines = lines_of(response.iter_bytes())
                answer = yield from read_chunks(lines, model=model, quote=self._quote)
                with suppress(httpx2.HTTPError), deadline(_ENDING_SECONDS):
                    deque(lines, maxlen=0)  # only a connection that was read to its end can be reused
                return answer
        except sdk.APIStatusError as error:
            raise openai_error(error, quote=self._quote) from error

    def _chat_limits(self, request: ChatRequest) -> dict[str, Any]:
        """Token limit and temperature of the options, which the request's own override."""
        tokens, temperature = self.options.max_output_tokens, self.options.temperature
        limits: dict[str, Any] = {}
        if tokens is not None and not {"max_tokens", "max_completion_tokens"} & request.options.keys():
            limits[self._first_dialect.token_field] = tokens
        if temperature is not None:
            limits["temperature"] = temperature
        return limits

    def _remember(self, model: str, dialect: Dialect) -> None:
        if self._dialects.get(model, self._first_dialect) != dialect:
            logger.info(
                "the server accepts only simpler requests",
                event_name="provider.dialect.changed",
                provider=self.alias,
                model=model,
                schema_mode=dialect.schema_mode,
                tool_mode=dialect.tool_mode,
            )
        self._dialects[model] = dialect
