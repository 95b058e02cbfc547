"""Translates a conversation from OpenAI's format to Gemini's: contents, functions and options."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from google.genai import types

from providers.errors import RequestRefused
from providers.llm.chat import CallPart, Message
from providers.reported import storable

_DATA_URL = re.compile(r"data:([\w.+/-]+);base64,(.*)", re.DOTALL)
_OPTIONS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "seed": "seed",
}
_CHOICES = {"none": "NONE", "auto": "AUTO", "required": "ANY"}


def system_of(messages: Sequence[Message]) -> str:
    return "\n\n".join(text_of(message) for message in messages if message["role"] in ("system", "developer"))


def contents_of(messages: Sequence[Message]) -> list[types.Content]:
    """All messages except system messages. Raises RequestRefused for a part that Gemini does not support."""
    names: dict[str, str] = {}
    contents: list[types.Content] = []
    for message in messages:
        role = message["role"]
        if role in ("system", "developer"):
            continue
        if role == "tool":
            name = names.get(message.get("tool_call_id", ""), message.get("name") or "tool")
            result = {"result": text_of(message)}
            parts = [types.Part.from_function_response(name=name, response=result)]
        else:
            parts = _parts(message)
            for call in message.get("tool_calls") or ():
                names[call["id"]] = call["function"]["name"]
                parts.append(_call_part(call))
        role = "model" if role == "assistant" else "user"
        if contents and contents[-1].role == role:
            contents[-1].parts = [*(contents[-1].parts or ()), *parts]
        elif parts:
            contents.append(types.Content(role=role, parts=parts))
    return contents


def config_of(options: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Fields of GenerateContentConfig. Options that Gemini does not have are left out."""
    config = {
        _OPTIONS[name]: value for name, value in options.items() if name in _OPTIONS and value is not None
    }
    if stop := options.get("stop"):
        config["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    form = options.get("response_format") or {}
    if form.get("type") in ("json_object", "json_schema"):
        config["response_mime_type"] = "application/json"
        if schema := (form.get("json_schema") or {}).get("schema"):
            config["response_json_schema"] = schema
    if tools:
        config["tools"] = [types.Tool(function_declarations=[_declaration(tool) for tool in tools])]
        config["automatic_function_calling"] = types.AutomaticFunctionCallingConfig(disable=True)
        if choice := options.get("tool_choice"):
            config["tool_config"] = types.ToolConfig(function_calling_config=_tool_choice(choice))
    return config


def call_of(part: types.Part, index: int) -> CallPart:
    """A call by Gemini. It often lacks an ID, which clients need throughout a conversation, so one is made up."""
    call = part.function_call
    assert call is not None
    signature = part.thought_signature
    signed = {"google": {"thought_signature": base64.b64encode(signature).decode()}} if signature else None
    arguments = storable(json.dumps(call.args or {}, ensure_ascii=False))
    return CallPart(index, call.id or f"call_{uuid4().hex}", storable(call.name or ""), arguments, signed)


def text_of(message: Message) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if part.get("type") == "text")


def _parts(message: Message) -> list[types.Part]:
    content = message.get("content") or ""
    if isinstance(content, str):
        return [types.Part(text=content)] if content else []
    return [_part(part) for part in content]


def _part(part: Mapping[str, Any]) -> types.Part:
    kind = part.get("type")
    if kind in ("text", "refusal"):
        return types.Part(text=part.get(kind, ""))
    if kind == "image_url":
        url = part["image_url"]["url"]
        if match := _DATA_URL.fullmatch(url):
            return types.Part.from_bytes(data=base64.b64decode(match[2]), mime_type=match[1])
        return types.Part.from_uri(file_uri=url)
    if kind == "input_audio":
        audio = part["input_audio"]
        return types.Part.from_bytes(
            data=base64.b64decode(audio["data"]), mime_type=f"audio/{audio['format']}"
        )
    raise RequestRefused(f"Gemini does not accept a part of the type {str(kind)[:40]!r}.")


def _call_part(call: Mapping[str, Any]) -> types.Part:
    function = call["function"]
    signature = ((call.get("extra_content") or {}).get("google") or {}).get("thought_signature")
    try:
        arguments = json.loads(function["arguments"] or "{}")
        signed = base64.b64decode(signature) if signature else None
    except (ValueError, TypeError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise RequestRefused(
            "Gemini can't be given a call whose arguments are not a JSON object, or with a broken signature."
        )
    return types.Part(
        function_call=types.FunctionCall(name=function["name"], args=arguments), thought_signature=signed
    )


def _declaration(tool: Mapping[str, Any]) -> types.FunctionDeclaration:
    function = tool["function"]
    return types.FunctionDeclaration(
        name=function["name"],
        description=function.get("description", ""),
        parameters_json_schema=function.get("parameters"),
    )


def _tool_choice(choice: Any) -> types.FunctionCallingConfig:
    if isinstance(choice, str):
        return types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode(_CHOICES.get(choice, "AUTO")))
    name = choice["function"]["name"]
    return types.FunctionCallingConfig(
        mode=types.FunctionCallingConfigMode.ANY, allowed_function_names=[name]
    )
