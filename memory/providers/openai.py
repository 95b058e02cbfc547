"""OpenAI and every server that speaks its chat completions, such as Ollama, vLLM, llama.cpp and LiteLLM.

The SDK's own retries stay off; a failed call is the turn's to repeat. What a model of a server does not take
(a JSON Schema, a name for the token limit, a temperature) is learnt from its refusals and remembered for this
process.
"""

from collections.abc import Mapping
from typing import Any

import httpx2
import openai as sdk
import structlog

from memory.providers.base import CompletionRequest
from memory.providers.errors import ContentBlocked, ProviderError, QuotaExhausted, Unauthorized
from memory.providers.hosted import NOT_UNDERSTOOD, HostedProvider, VendorAnswer
from memory.providers.openai_dialect import Dialect
from memory.providers.openai_envelope import Envelope, Usage
from memory.providers.options import OpenAIOptions, read_options
from memory.providers.statuses import error_class, retry_after_seconds

logger = structlog.get_logger(__name__)

BLOCKED_CODES = {"content_filter", "content_policy_violation", "moderation_blocked"}
QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
ARGUABLE = {400, 422, 500, 501}  # some servers answer 500 to a response_format that they don't know


class OpenAIProvider(HostedProvider):
    kind = "openai"
    vendor = "The OpenAI-compatible server"
    vendor_url = "https://api.openai.com/v1"
    vendor_model = "gpt-6-luna"
    key_variable = "OPENAI_API_KEY"

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self._dialects: dict[str, Dialect] = {}
        token_field = "max_completion_tokens" if self._is_the_vendor() else "max_tokens"
        self._first_dialect = Dialect(token_field=token_field)
        self._http = sdk.DefaultHttpxClient(**self._client_settings())
        self._client = sdk.OpenAI(
            api_key=self._key or "none",
            base_url=self.base_url,
            timeout=self.options.timeout,
            max_retries=0,
            http_client=self._http,
        )

    def close(self) -> None:
        self._http.close()

    def _read_options(self, options: Mapping[str, Any]) -> OpenAIOptions:
        return read_options(OpenAIOptions, options)

    def _require_key(self) -> None:
        if self._is_the_vendor():  # a server of one's own needs no key
            super()._require_key()

    def _is_the_vendor(self) -> bool:
        return self.base_url.rstrip("/") == self.vendor_url

    def _ask(self, request: CompletionRequest, model: str) -> VendorAnswer:
        dialect = self._dialects.get(model, self._first_dialect)
        while True:
            fields = self._fields(request, dialect)
            try:
                answer = self._send(request, model, fields, instruction=dialect.instruction(request.schema))
            except sdk.APIStatusError as error:
                arguable = error.status_code in ARGUABLE
                simpler = dialect.simpler(_complaint(error), sent=fields) if arguable else None
                if simpler is None:
                    raise self._status_error(error) from error
                dialect = simpler
                continue
            self._remember(model, dialect)
            return answer

    def _fields(self, request: CompletionRequest, dialect: Dialect) -> dict[str, Any]:
        max_output_tokens, temperature = self._limits(request)
        return dialect.fields(
            schema=request.schema, max_output_tokens=max_output_tokens, temperature=temperature
        )

    def _send(
        self, request: CompletionRequest, model: str, fields: dict[str, Any], *, instruction: str
    ) -> VendorAnswer:
        """One call. Raises the SDK's APIStatusError for what the server refused, else ProviderError."""
        system = f"{request.system}{instruction}".strip()
        messages: list[Any] = [{"role": "system", "content": system}] if system else []
        messages += [{"role": role, "content": text} for role, text in request.turns()]
        create: Any = self._client.chat.completions.with_raw_response.create
        try:
            raw = create(model=model, messages=messages, extra_body=self.options.extra or None, **fields)
            envelope = Envelope.model_validate(raw.http_response.json())
        except sdk.APIStatusError:
            raise
        except sdk.APIConnectionError as error:
            raise self._transport_error(error.__cause__ or error) from error
        except (sdk.APIError, httpx2.HTTPError, *NOT_UNDERSTOOD) as error:
            raise self._transport_error(error) from error
        text = envelope.text(reasoning_may_answer=request.schema is not None)
        return self._answer(envelope, text, model=model, request_id=raw.request_id)

    def _answer(self, envelope: Envelope, text: str, *, model: str, request_id: str | None) -> VendorAnswer:
        problem = envelope.problem(text, quote=self._quote)
        usage = envelope.usage or Usage()
        cached = usage.prompt_tokens_details
        return VendorAnswer(
            text=text,
            model=envelope.model or model,
            finish_reason=envelope.finish_reason(problem),
            prompt_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cached_tokens=cached.cached_tokens if cached else None,
            request_id=request_id or (str(envelope.id) if envelope.id else None),
            problem=problem,
        )

    def _remember(self, model: str, dialect: Dialect) -> None:
        if self._dialects.get(model, self._first_dialect) != dialect:
            logger.info(
                "The server takes simpler requests only",
                event_name="provider.dialect.changed",
                provider=self.alias,
                model=model,
                schema_mode=dialect.schema_mode,
            )
        self._dialects[model] = dialect

    def _status_error(self, error: sdk.APIStatusError) -> ProviderError:
        kind = error_class(error.status_code)
        if error.code in BLOCKED_CODES or _is_flagged(error.body):
            kind = ContentBlocked
        elif error.code in QUOTA_CODES:
            kind = QuotaExhausted
        elif error.code == "invalid_api_key":
            kind = Unauthorized
        return kind(
            f"The server answered {error.status_code}: {self._quote(_complaint(error))}",
            retry_after=retry_after_seconds(error.response.headers),
            status=error.status_code,
        )


def _is_flagged(body: object) -> bool:
    """OpenRouter's 403 for a moderated prompt: the key is fine, the words are not."""
    metadata = body.get("metadata") if isinstance(body, dict) else None
    return isinstance(metadata, dict) and "flagged_input" in metadata


def _complaint(error: sdk.APIStatusError) -> str:
    """The server's words and the parameter it names. The body may be an object, a string, or no JSON."""
    body = error.body
    words = body.get("message") or body.get("detail") if isinstance(body, dict) else body
    return " ".join(str(part) for part in (words or error.message, error.param) if part)
