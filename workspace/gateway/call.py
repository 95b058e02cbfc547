"""Calls a companion's tool for an agent: checks the input, fills in the secrets, checks the output."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus, urlencode
from uuid import UUID

from relationships.configuration.json_schemas import refuse_misshapen
from web.errors import InvalidInput
from web.outgoing import OutgoingError, call
from workspace.errors import ToolRefused
from workspace.gateway.secrets import read_secrets
from workspace.gateway.tools import SECRET, ToolSpec
from workspace.models import Tool

LARGEST_ANSWER = 100_000  # bytes read from a response


@dataclass(frozen=True, slots=True)
class Called:
    """`text`: the response's body, cut at LARGEST_ANSWER, with the secrets of the request masked."""

    text: str
    status: int
    milliseconds: float


def tools_of(companion_id: UUID) -> list[ToolSpec]:
    rows = Tool.objects.filter(companion_id=companion_id).order_by("name").values_list("name", "spec")
    return [ToolSpec.kept(name, spec) for name, spec in rows]


def get_tool(companion_id: UUID, name: str) -> ToolSpec:
    """Raises ToolRefused."""
    spec = Tool.objects.filter(companion_id=companion_id, name=name).values_list("spec", flat=True).first()
    if spec is None:
        raise ToolRefused(
            f"There is no tool {name[:80]!r}. One that an agent wrote is called in its own sandbox."
        )
    return ToolSpec.kept(name, spec)


def call_tool(
    companion_id: UUID,
    name: str,
    given: Mapping[str, Any],
    *,
    sending: AbstractContextManager[None] | None = None,
) -> Called:
    """Call the tool, inside `sending`. Raises ToolRefused, which says what went wrong, or what `sending` raises; error
    statuses are answers like any other.
    """
    tool = get_tool(companion_id, name)
    check_shape(tool.input, given, "input")
    texts = (tool.endpoint, *tool.headers.values())
    secrets = read_secrets(companion_id, {name for text in texts for name in SECRET.findall(text)})
    headers = {key: _with_secrets(value, secrets) for key, value in tool.headers.items()}
    url = _with_secrets(tool.endpoint, {name: _in_url(value) for name, value in secrets.items()})
    body = b""
    if tool.method == "GET":
        asked = {key: value if isinstance(value, str) else json.dumps(value) for key, value in given.items()}
        url += ("&" if "?" in url else "?") + urlencode(asked)
    else:
        body, headers = json.dumps(given).encode(), {"content-type": "application/json", **headers}
    try:
        with sending or nullcontext():
            answer = call(
                tool.method, url, headers=headers, body=body, seconds=tool.timeout, largest=LARGEST_ANSWER
            )
    except OutgoingError as error:
        raise ToolRefused(_masked(str(error), secrets)) from None
    text = _masked(answer.body.decode("utf-8", "replace").replace("\x00", "\ufffd"), secrets)
    if tool.output is not None and answer.status < 400:
        check_shape(tool.output, _json(text), "output")
    if answer.truncated:
        text = f"{_without_partial_secret(text, secrets)}\n[Cut at {LARGEST_ANSWER} bytes.]"
    return Called(text, answer.status, round(answer.seconds * 1000, 3))


def _with_secrets(text: str, secrets: Mapping[str, str]) -> str:
    return SECRET.sub(lambda match: secrets[match[1]], text)


def _in_url(value: str) -> str:
    """The secret as a part of a URL, such as a key, a path or a whole query. What would end or change it is encoded."""
    return quote(value, safe="/:=&%?@!$'()*,;~[]")


def _masked(text: str, secrets: Mapping[str, str]) -> str:
    """Mask the secrets: a response may quote the request, and no model may see them."""
    for value in secrets.values():
        for spelled in sorted(_spellings(value), key=len, reverse=True):
            text = text.replace(spelled, "[secret]") if spelled else text
    return text


def _without_partial_secret(text: str, secrets: Mapping[str, str]) -> str:
    """Remove what may be the beginning of a secret at the end of a text that was cut."""
    for spelled in {spelled for value in secrets.values() for spelled in _spellings(value)}:
        begun = next((n for n in range(len(spelled) - 1, 0, -1) if text.endswith(spelled[:n])), 0)
        text = text[: len(text) - begun]
    return text


def _spellings(value: str) -> set[str]:
    """The value as it is, in JSON, and in a URL."""
    in_json = json.dumps(value)[1:-1]
    return {
        value,
        in_json,
        in_json.replace("/", "\\/"),
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
        _in_url(value),
    }


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ToolRefused("The tool's answer is not JSON, as its spec says it is.") from None


def check_shape(schema: dict[str, Any] | None, document: Any, whole: str) -> None:
    """Raises ToolRefused."""
    try:
        refuse_misshapen(schema, document, whole=whole)
    except InvalidInput as error:
        raise ToolRefused(f"The {whole} does not fit the tool's spec: {error.detail}") from None
