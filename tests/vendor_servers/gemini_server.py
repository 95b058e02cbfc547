"""A local server for the Gemini API's generateContent and batchEmbedContents. See script.py for what it can be told.

python -m tests.vendor_servers.gemini_server --port 8999
"""

import json
import re
from typing import Any

from tests.vendor_servers.embeddings import GEMINI_PATH, gemini_embeddings, gemini_said
from tests.vendor_servers.script import Item, Seen, answer_text, call_texts, token_count
from tests.vendor_servers.server import Reply, VendorServer, run_alone

PATH = re.compile(r"^/v1beta/models/(?P<model>[^/:]+):generateContent$")
STREAM_PATH = re.compile(r"^/v1beta/models/(?P<model>[^/:]+):streamGenerateContent$")
STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
SILENT_FINISHES = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MALFORMED_RESPONSE"}


class GeminiServer(VendorServer):
    def speaks(self, path: str) -> bool:
        return any(pattern.match(path) for pattern in (PATH, STREAM_PATH, GEMINI_PATH))

    def said(self, body: dict[str, Any]) -> str:
        if "requests" in body:
            return "\n".join(gemini_said(body))
        spoken = [body.get("systemInstruction") or {}, *body.get("contents", [])]
        return "\n".join(part.get("text", "") for content in spoken for part in content.get("parts", []))

    def refusal_of_key(self, headers: dict[str, str]) -> Item | None:
        given = headers.get("x-goog-api-key")
        if not given:
            return {"status": 403, "message": "Method doesn't allow unregistered callers."}
        if self.key is not None and given != self.key:
            message = "API key not valid. Please pass a valid API key."
            return {"status": 400, "message": message, "reason": "API_KEY_INVALID"}
        return None

    def success(self, item: Item, seen: Seen) -> Reply:
        if GEMINI_PATH.match(seen.path):
            return gemini_embeddings(item, seen)
        if match := STREAM_PATH.match(seen.path):
            return self._streamed(item, seen, match["model"])
        match = PATH.match(seen.path)
        assert match
        schema = (seen.body.get("generationConfig") or {}).get("responseJsonSchema")
        text = answer_text(item, schema=schema, said=seen.said)
        calls = call_texts(item, parameters=_parameters(seen.body), said=seen.said)
        thoughts = token_count(item["think"]) if "think" in item else 0
        used = {"promptTokenCount": token_count(seen.said), "candidatesTokenCount": token_count(text)}
        if thoughts:
            used["thoughtsTokenCount"] = thoughts
        body: dict[str, Any] = {
            "usageMetadata": item.get("usage", used),
            "modelVersion": item.get("model", match["model"]),
            "responseId": f"local-{self.asked}",
        }
        if "blocked" in item:
            body["promptFeedback"] = {"blockReason": item["blocked"]}
        elif not item.get("empty"):
            name = _function_name(seen.body)
            body["candidates"] = [_calling(item, calls, name) if calls else _candidate(item, text)]
        return Reply(200, body)

    def _streamed(self, item: Item, seen: Seen, model: str) -> Reply:
        """Stream one word per event; calls come in a single event, each with a signature of its thoughts."""
        text = answer_text(item, schema=None, said=seen.said) if "tool_calls" not in item else ""
        pieces = item.get("pieces") or re.findall(r"\s*\S+", text)
        said = [[{"text": piece}] for piece in pieces]
        said += [
            [
                {
                    "functionCall": {"name": call["name"], "args": call["arguments"]},
                    "thoughtSignature": "c2lnbmVk",
                }
            ]
            for call in item.get("tool_calls", ())
        ]
        if "think" in item:
            said.insert(0, [{"text": item["think"], "thought": True}])
        candidates: list[dict[str, Any]] = [
            {"index": 0, "content": {"role": "model", "parts": one}} for one in said
        ]
        if not item.get("no_finish"):
            candidates[-1]["finishReason"] = item.get("finish", "STOP")
        used = {"promptTokenCount": token_count(seen.said), "candidatesTokenCount": max(1, len(pieces))}
        alike = {
            "modelVersion": item.get("model", model),
            "responseId": f"local-{self.asked}",
            "usageMetadata": used,
        }
        bodies: list[dict[str, Any]] = [{**alike, "candidates": [candidate]} for candidate in candidates]
        if "blocked" in item:
            bodies = [{**alike, "promptFeedback": {"blockReason": item["blocked"]}}]
        manner: dict[str, Any] = {name: item[name] for name in ("pause", "stall", "break") if name in item}
        return Reply(200, {}, events=[json.dumps(body) for body in bodies], manner=manner)

    def failure(self, item: Item) -> Reply:
        status = item["status"]
        error: dict[str, Any] = {
            "code": status,
            "message": item.get("message", f"The script says {status}."),
            "status": item.get("code", STATUS_NAMES.get(status, "UNKNOWN")),
            "details": [],
        }
        if "reason" in item:
            error["details"].append(
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": item["reason"]}
            )
        if "retry_delay" in item:
            delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": item["retry_delay"]}
            error["details"].append(delay)
        headers = {"Retry-After": str(item["retry_after"])} if "retry_after" in item else {}
        return Reply(status, {"error": error}, headers)


def _parameters(body: dict[str, Any]) -> dict[str, Any] | None:
    """The parameters of the function, if one must be called."""
    if not _function_name(body):
        return None
    [declaration] = body["tools"][0]["functionDeclarations"]
    # the SDK's spelling; Google accepts both spellings of a field
    parameters: dict[str, Any] = declaration["parameters_json_schema"]
    return parameters


def _function_name(body: dict[str, Any]) -> str:
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    return calling["allowedFunctionNames"][0] if calling.get("mode") == "ANY" else ""


def _calling(item: Item, calls: list[str], name: str) -> dict[str, Any]:
    """A function call in Gemini's format. Gemini parses the arguments; if it can't, it quotes the call without content."""
    candidate: dict[str, Any] = {"index": 0, "finishReason": "MAX_TOKENS" if "truncate" in item else "STOP"}
    parts = [{"text": item["think"], "thought": True}] if "think" in item else []
    try:
        arguments = [json.loads(call or "{}") for call in calls]
    except ValueError:
        if "truncate" not in item:
            candidate |= {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "\n".join(calls)}
        return candidate
    parts += [{"functionCall": {"name": name, "args": given}} for given in arguments]
    return {**candidate, "content": {"role": "model", "parts": parts}}


def _candidate(item: Item, text: str) -> dict[str, Any]:
    finish = item.get("finish", "MAX_TOKENS" if "truncate" in item else "STOP")
    parts = [{"text": item["think"], "thought": True}] if "think" in item else []
    candidate: dict[str, Any] = {"index": 0, "finishReason": finish}
    if finish not in SILENT_FINISHES:
        candidate["content"] = {"role": "model", "parts": [*parts, {"text": text}]}
    return candidate


if __name__ == "__main__":
    run_alone(GeminiServer)
