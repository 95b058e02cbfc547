"""A local server for OpenAI's chat completions and embeddings. See script.py for what it can be told.

python -m tests.vendor_servers.openai_server --port 8998
"""

import json
import re
from typing import Any

from tests.vendor_servers.embeddings import OPENAI_PATH, openai_embeddings, openai_said
from tests.vendor_servers.script import Item, Seen, answer_text, call_texts, token_count
from tests.vendor_servers.server import Reply, VendorServer, run_alone


class OpenAIServer(VendorServer):
    base_path = "/v1"

    def speaks(self, path: str) -> bool:
        return path in ("/v1/chat/completions", OPENAI_PATH)

    def said(self, body: dict[str, Any]) -> str:
        if "input" in body:
            return "\n".join(openai_said(body))
        return "\n".join(str(message.get("content") or "") for message in body.get("messages", []))

    def refusal_of_key(self, headers: dict[str, str]) -> Item | None:
        if self.key is None or headers.get("authorization") == f"Bearer {self.key}":
            return None
        return {"status": 401, "message": "Incorrect API key provided.", "code": "invalid_api_key"}

    def success(self, item: Item, seen: Seen) -> Reply:
        if "blocked" in item:
            return self.failure(
                {"status": 400, "message": "The prompt was filtered.", "code": item["blocked"]}
            )
        if seen.path == OPENAI_PATH:
            return openai_embeddings(item, seen)
        if seen.body.get("stream"):
            return self._streamed(item, seen)
        form = seen.body.get("response_format") or {}
        schema = (form.get("json_schema") or {}).get("schema")
        text = answer_text(item, schema=schema, said=seen.said)
        calls = call_texts(item, parameters=_parameters(seen.body), said=seen.said)
        written = "".join(calls) or text
        used = {"prompt_tokens": token_count(seen.said), "completion_tokens": token_count(written)}
        finish = "length" if "truncate" in item else "tool_calls" if calls else "stop"
        choice = {
            "index": 0,
            "message": _calling(item, calls, seen.body) if calls else _message(item, text),
            "finish_reason": item.get("finish", finish),
        }
        body = {
            "id": f"local-{self.asked}",
            "object": "chat.completion",
            "created": 0,
            "model": item.get("model", seen.body.get("model")),
            "choices": [] if item.get("empty") else [choice],
            "usage": item.get("usage", {**used, "total_tokens": sum(used.values())}),
        }
        return Reply(200, body, {"x-request-id": f"local-request-{self.asked}"})

    def _streamed(self, item: Item, seen: Seen) -> Reply:
        text = answer_text(item, schema=None, said=seen.said) if "tool_calls" not in item else ""
        text = item.get("refusal", text)
        pieces = item.get("pieces") or re.findall(r"\s*\S+", text)
        said = "refusal" if "refusal" in item else "content"
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{said: piece} for piece in pieces]
        for place, call in enumerate(item.get("tool_calls", ())):
            arguments = json.dumps(call["arguments"])
            begun = {"name": call["name"], "arguments": ""}
            named = {"index": place, "id": f"call-{place}", "type": "function", "function": begun}
            noted = {"extra_content": call["extra_content"]} if "extra_content" in call else {}
            deltas.append({"tool_calls": [named | noted]})
            for half in (arguments[:5], arguments[5:]):
                deltas.append({"tool_calls": [{"index": place, "function": {"arguments": half}}]})
        choices: list[dict[str, Any]] = []
        for delta in deltas:
            choices.append({"index": 0, "delta": delta, "finish_reason": None})
            if seen.body.get("logprobs") and (piece := delta.get(said)):
                choices[-1]["logprobs"] = {said: [{"token": piece, "logprob": -0.5}]}
        if not item.get("no_finish"):
            finish = item.get("finish", "tool_calls" if "tool_calls" in item else "stop")
            choices.append({"index": 0, "delta": {}, "finish_reason": finish})
        alike = {"id": f"local-{self.asked}", "object": "chat.completion.chunk", "created": 0}
        alike["model"] = item.get("model", seen.body.get("model"))
        events = [json.dumps({**alike, "choices": [choice]}) for choice in choices]
        used = {"prompt_tokens": token_count(seen.said), "completion_tokens": max(1, len(pieces))}
        usage = item.get("usage", {**used, "total_tokens": sum(used.values())})
        events.append(json.dumps({**alike, "choices": [], "usage": usage}))
        if "error" in item:
            broken = json.dumps({"error": {"message": "The engine fell over.", "type": "server_error"}})
            events[item["error"] :] = [broken]
        else:
            events.append("[DONE]")
        manner: dict[str, Any] = {name: item[name] for name in ("pause", "stall", "break") if name in item}
        return Reply(200, {}, {"x-request-id": f"local-request-{self.asked}"}, events=events, manner=manner)

    def failure(self, item: Item) -> Reply:
        status = item["status"]
        error = {
            "message": item.get("message", f"The script says {status}."),
            "type": "server_error" if status >= 500 else "invalid_request_error",
            "param": item.get("param"),
            "code": item.get("code"),
        }
        headers = {"Retry-After": str(item["retry_after"])} if "retry_after" in item else {}
        return Reply(status, {"error": error}, headers)


def _parameters(body: dict[str, Any]) -> dict[str, Any] | None:
    """The parameters of the function, if one must be called."""
    if body.get("tool_choice", "none") in ("none", "auto"):
        return None
    parameters: dict[str, Any] = body["tools"][0]["function"]["parameters"]
    return parameters


def _calling(item: Item, calls: list[str], body: dict[str, Any]) -> dict[str, Any]:
    name = body["tools"][0]["function"]["name"]
    return {
        "role": "assistant",
        "content": f"<think>{item['think']}</think>" if "think" in item else None,
        "tool_calls": [
            {"id": f"call-{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for place, arguments in enumerate(calls)
        ],
    }


def _message(item: Item, text: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if "think" in item:
        message["content"] = f"<think>{item['think']}</think>\n\n{text}"
    if "answer_in" in item:
        message |= {"content": "", item["answer_in"]: text}
    if "refusal" in item:
        message |= {"content": None, "refusal": item["refusal"]}
    return message


if __name__ == "__main__":
    run_alone(OpenAIServer)
