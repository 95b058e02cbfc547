"""Gemini, through google-genai. Imported at first use only: the SDK takes a second and 34 MB.

The SDK raises nothing for a blocked prompt, a filtered or a cut-off answer, or an empty list of candidates,
so each is looked for here. Its own retries stay off; a failed call is the turn's to repeat.
"""

from collections.abc import Mapping
from typing import Any

import httpx2
from google import genai
from google.genai import errors as sdk_errors
from google.genai import types

from memory.providers.base import CompletionRequest
from memory.providers.errors import (
    AnswerTruncated,
    ContentBlocked,
    EmptyAnswer,
    ProviderError,
    ProviderMisconfigured,
    Unauthorized,
)
from memory.providers.hosted import NOT_UNDERSTOOD, HostedProvider, VendorAnswer
from memory.providers.options import GeminiOptions, read_options
from memory.providers.statuses import error_class, retry_after_seconds

TRUNCATED = {"MAX_TOKENS", "CONTINUATION"}
BLOCKED = {
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "ESCALATION",
    "MODEL_ARMOR",
}


class GeminiProvider(HostedProvider):
    kind = "gemini"
    vendor = "Gemini"
    vendor_url = "https://generativelanguage.googleapis.com"
    vendor_model = "gemini-flash-latest"  # an alias that Google keeps current
    key_variable = "GEMINI_API_KEY"
    options: GeminiOptions

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        try:
            self._extra = types.GenerateContentConfig.model_validate(self.options.extra)
        except ValueError as error:
            raise ProviderMisconfigured(
                f"extra: Gemini has no such request fields. {self._quote(error)}"
            ) from error
        self._http = httpx2.Client(**self._client_settings())
        self._client = genai.Client(
            enterprise=False,  # whatever the environment says
            api_key=self._key or "none",
            http_options=types.HttpOptions(
                base_url=self.base_url,
                api_version=self.options.api_version,
                timeout=round(self.options.timeout * 1000),
                httpx_client=self._http,
            ),
        )

    def close(self) -> None:
        self._http.close()

    def _read_options(self, options: Mapping[str, Any]) -> GeminiOptions:
        return read_options(GeminiOptions, options)

    def _ask(self, request: CompletionRequest, model: str) -> VendorAnswer:
        contents: list[Any] = [_content(role, text) for role, text in request.turns()]
        try:
            response = self._client.models.generate_content(
                model=model, contents=contents, config=self._config(request)
            )
        except sdk_errors.APIError as error:
            raise self._api_error(error) from error
        except (httpx2.HTTPError, *NOT_UNDERSTOOD) as error:
            raise self._transport_error(error) from error
        return self._answer(response, model)

    def _config(self, request: CompletionRequest) -> types.GenerateContentConfig:
        max_output_tokens, temperature = self._limits(request)
        wanted: dict[str, Any] = {
            "system_instruction": request.system or None,
            "temperature": temperature,
            "max_output_tokens": max_output_tokens,
        }
        if request.schema is not None:
            wanted |= {"response_mime_type": "application/json", "response_json_schema": request.schema}
        return self._extra.model_copy(
            update={name: value for name, value in wanted.items() if value is not None}
        )

    def _answer(self, response: types.GenerateContentResponse, model: str) -> VendorAnswer:
        text = _text_of(response)
        usage = response.usage_metadata or types.GenerateContentResponseUsageMetadata()
        problem = _problem_with(response, text)
        return VendorAnswer(
            text=text,
            model=response.model_version or model,
            finish_reason=_finish_reason(response, problem),
            prompt_tokens=usage.prompt_token_count,
            output_tokens=_sum(usage.candidates_token_count, usage.thoughts_token_count),
            cached_tokens=usage.cached_content_token_count,
            request_id=response.response_id,
            problem=problem,
        )

    def _api_error(self, error: sdk_errors.APIError) -> ProviderError:
        details = _error_details(error)
        kind = error_class(error.code)
        if "API_KEY_INVALID" in {detail.get("reason") for detail in details}:
            kind = Unauthorized  # Gemini says 400 to a key that it does not know
        elif error.code == 400 and error.status == "FAILED_PRECONDITION":
            kind = ProviderMisconfigured  # the account's country or billing, not this request
        headers = getattr(error.response, "headers", None) or {}
        wait = _retry_delay(details)
        return kind(
            f"Gemini answered {error.code}: {self._quote(error.message or error.status)}",
            retry_after=wait if wait is not None else retry_after_seconds(headers),
            status=error.code,
        )


def _content(role: str, text: str) -> types.Content:
    return types.Content(role="model" if role == "assistant" else "user", parts=[types.Part(text=text)])


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _text_of(response: types.GenerateContentResponse) -> str:
    candidates = response.candidates or []
    content = candidates[0].content if candidates else None
    parts = (content.parts or []) if content else []
    return "".join(part.text for part in parts if part.text and not part.thought)


def _problem_with(response: types.GenerateContentResponse, text: str) -> ProviderError | None:
    feedback = response.prompt_feedback
    if feedback and feedback.block_reason:
        return ContentBlocked(f"Gemini blocked the prompt: {feedback.block_reason.value}.")
    if not response.candidates:
        return EmptyAnswer("Gemini answered without a candidate.")
    finish = _finish_of(response)
    if finish in TRUNCATED:
        return AnswerTruncated(f"Gemini's answer was cut off at the token limit ({finish}).")
    if finish in BLOCKED:
        return ContentBlocked(f"Gemini blocked its answer: {finish}.")
    if not text.strip():
        return EmptyAnswer(f"Gemini answered without text ({finish or 'no reason given'}).")
    return None


def _finish_of(response: types.GenerateContentResponse) -> str:
    reason = response.candidates[0].finish_reason if response.candidates else None
    return str(reason.value) if reason else ""


def _finish_reason(response: types.GenerateContentResponse, problem: ProviderError | None) -> str:
    if isinstance(problem, ContentBlocked):
        return "blocked"
    if isinstance(problem, AnswerTruncated):
        return "length"
    return _finish_of(response).lower() or "none"


def _error_details(error: sdk_errors.APIError) -> list[dict[str, Any]]:
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error")
    details = inner.get("details") if isinstance(inner, dict) else None
    return [detail for detail in details or () if isinstance(detail, dict)]


def _retry_delay(details: list[dict[str, Any]]) -> float | None:
    """Google's RetryInfo says when to come back, as in "3.5s"."""
    for detail in details:
        delay = detail.get("retryDelay")
        if isinstance(delay, str) and delay.endswith("s"):
            return retry_after_seconds({"retry-after": delay[:-1]})
    return None
