from benchmarks.peers.dialects.base import Request


def test_a_request_counts_messages_functions_and_schema() -> None:
    plain = Request({"messages": [{"role": "user", "content": "Hello there"}]})
    tool = {"type": "function", "function": {"name": "Memory", "description": "Call it for each memory."}}
    schema = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"type": "object"}}}

    with_tool = Request({**plain.body, "tools": [tool]})
    with_schema = Request({**plain.body, "response_format": schema})

    assert plain.tokens < with_tool.tokens
    assert plain.tokens < with_schema.tokens
    assert with_tool.tools == ["Memory"]


def test_a_text_may_come_in_parts() -> None:
    parts = [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]

    assert Request({"messages": [{"role": "user", "content": parts}]}).last == "Hello\nthere"
