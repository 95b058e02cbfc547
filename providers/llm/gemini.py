"""Gemini, through google-genai. Imported at first use: the SDK takes a second and 34 MB.

The SDK raises no error for a blocked prompt, a filtered or truncated answer, or an empty list of candidates, so these
are checked here. Its retries are off; failed calls are repeated with the turn.
"""

import json
from collections.abc import Generator, Mapping
from typing import Any

from google.genai import types

from providers.endpoint import NOT_UNDERSTOOD
from providers.errors import (
    AnswerTruncated,
    ContentBlocked,
    EmptyAnswer,
    ProviderError,
    ProviderUnavailable,
    RequestRefused,
)
from providers.gemini_sdk import GeminiEndpoint, with_given
from providers.llm.base import CompletionRequest, ToolSpec
from providers.llm.chat import ChatPart, ChatRequest
from providers.llm.gemini_chat import call_of, config_of, contents_of, system_of
from providers.llm.hosted import HostedProvider, VendorAnswer
from providers.llm.tool_calls import arguments_text
from providers.options import GeminiOptions
from providers.reported import storable

MALFORMED_CALL = "MALFORMED_FUNCTION_CALL"
TRUNCATED = {"MAX_TOKENS", "CONTINUATION"}
BLOCKED = frozenset(
    "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII ESCALATION MODEL_ARMOR".split()
)


class GeminiProvider(GeminiEndpoint, HostedProvider):
    kind = "gemini"
    vendor_model = "gemini-flash-latest"  # an alias that Google keeps current
    options_kind = GeminiOptions
    options: GeminiOptions

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(alias=alias, options=options)
        self._extra = self._request_fields(types.GenerateContentConfig, self.options.extra)

    def _ask(self, request: CompletionRequest, model: str) -> VendorAnswer:
        contents: list[Any] = [
            types.Content(role="model" if role == "assistant" else "user", parts=[types.Part(text=text)])
            for role, text in request.turns()
        ]
        wanted: dict[str, Any] = {
            "system_instruction": request.system or None,
            "temperature": self.options.temperature,
            "max_output_tokens": self._token_limit(request),
        }
        if request.tool is not None:
            forced = {"tool_choice": {"function": {"name": request.tool.name}}}
            wanted |= config_of(forced, [request.tool.in_format("openai")])
        elif request.schema is not None:
            wanted |= {"response_mime_type": "application/json", "response_json_schema": request.schema}
        with self._asking():
            response = self._client.models.generate_content(
                model=model, contents=contents, config=with_given(self._extra, wanted)
            )
        said = (part.text for part in response.parts or () if part.text and not part.thought)
        text = (_arguments_of(response, request.tool) if request.tool else "") or "".join(said)
        problem = _problem_with(response, text)
        return _vendor_answer(response, model, text=text, problem=problem)

    def _stream(self, request: ChatRequest, model: str) -> Generator[ChatPart, None, VendorAnswer]:
        last, finish, called = types.GenerateContentResponse(), "", 0
        try:
            wanted = {
                "system_instruction": system_of(request.messages) or None,
                "temperature": self.options.temperature,
                "max_output_tokens": self.options.max_output_tokens,
                **config_of(request.options, request.tools),
            }
            contents: Any = contents_of(request.messages)
        except NOT_UNDERSTOOD as error:
            raise RequestRefused(
                "An option, a tool or a part of a message is not in OpenAI's format."
            ) from error
        with self._asking():
            for last in self._client.models.generate_content_stream(
                model=model, contents=contents, config=with_given(self._extra, wanted)
            ):
                if blocked := _blocked_prompt(last):
                    raise blocked
                for part in last.parts or ():
                    if part.function_call:
                        yield ChatPart(calls=(call_of(part, called),))
                        called += 1
                    elif part.text and not part.thought:
                        yield ChatPart(text=storable(part.text))
                finish = _finish_of(last) or finish
        if not finish:
            raise ProviderUnavailable("Gemini broke off in the middle of its reply.")
        return _vendor_answer(last, model, finish=_chat_finish(finish, called))


def _chat_finish(finish: str, called: int) -> str:
    """The finish reason in OpenAI's terms."""
    if finish in TRUNCATED:
        return "length"
    if finish in BLOCKED:
        return "content_filter"
    return "tool_calls" if called else finish.lower()


def _vendor_answer(
    response: types.GenerateContentResponse,
    model: str,
    *,
    text: str = "",
    problem: ProviderError | None = None,
    finish: str = "",
) -> VendorAnswer:
    usage = response.usage_metadata or types.GenerateContentResponseUsageMetadata()
    counts = (usage.candidates_token_count, usage.thoughts_token_count)
    written = [count for count in counts if count is not None]
    return VendorAnswer(
        text=text,
        model=response.model_version or model,
        prompt_tokens=usage.prompt_token_count,
        output_tokens=sum(written) if written else None,
        cached_tokens=usage.cached_content_token_count,
        problem=problem,
        finish=finish,
    )


def _arguments_of(response: types.GenerateContentResponse, tool: ToolSpec) -> str:
    """The arguments of its calls. Gemini withholds malformed ones; then its message, or the reason, stands for them."""
    calls = [part.function_call.args or {} for part in response.parts or () if part.function_call]
    if not calls and response.candidates and _finish_of(response) == MALFORMED_CALL:
        return response.candidates[0].finish_message or MALFORMED_CALL
    return arguments_text([json.dumps(call, ensure_ascii=False) for call in calls], tool.parameters)


def _blocked_prompt(response: types.GenerateContentResponse) -> ContentBlocked | None:
    feedback = response.prompt_feedback
    if feedback and feedback.block_reason:
        return ContentBlocked(f"Gemini blocked the prompt: {feedback.block_reason.value}.")
    return None


def _problem_with(response: types.GenerateContentResponse, text: str) -> ProviderError | None:
    if blocked := _blocked_prompt(response):
        return blocked
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
